import Foundation

/// The part of a request's path after the database: `documents`, a path below it, and an optional method after a
/// colon.
struct DocumentResource {
    let segments: [String]
    let method: String?

    var path: String { segments.joined(separator: "/") }

    init?(_ components: [Substring]) {
        guard let last = components.last else { return nil }
        let parts = last.split(separator: ":", maxSplits: 1)
        let isMethod = parts.count == 2 && parts[1] == "listCollectionIds"
        method = isMethod ? String(parts[1]) : nil
        let names = components.dropLast() + [isMethod ? parts[0] : last]
        guard names.first == "documents" else { return nil }
        segments = names.dropFirst().map { $0.removingPercentEncoding ?? String($0) }
    }
}
