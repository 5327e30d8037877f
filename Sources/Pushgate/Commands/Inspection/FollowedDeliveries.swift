import Foundation
import JSON

/// The messages that `deliveries --follow` has printed, with the state in which it has.
struct FollowedDeliveries {
    /// The number of messages to remember. The feed reads only the newest ones again.
    private static let capacity = 10_000

    private var printed: [String: JSONValue] = [:]
    private var order: [String] = []

    /// `true` if nothing was printed yet.
    var isEmpty: Bool { printed.isEmpty }

    /// Returns `true` if a message of a page was printed before, so that older pages have nothing new.
    func knows(anyOf page: [JSONValue]) -> Bool {
        page.contains { $0["id"]?.string.flatMap { printed[$0] } != nil }
    }

    /// Returns the messages that are new, or have changed since they were printed, oldest first, and remembers them.
    /// Those that are older than all that were printed are left out.
    ///
    /// - Parameter page: Messages, newest first.
    mutating func changes(in page: [JSONValue]) -> [JSONValue] {
        let oldest = page.lastIndex { knows(anyOf: [$0]) } ?? page.indices.last ?? 0
        return page.prefix(oldest + 1).reversed().filter { delivery in
            guard let id = delivery["id"]?.string, printed[id] != delivery else { return false }
            if printed.updateValue(delivery, forKey: id) == nil { order.append(id) }
            if order.count > Self.capacity { printed[order.removeFirst()] = nil }
            return true
        }
    }
}
