import Foundation

/// The table of faults in docs/why.md.
struct FaultTable {
    /// A fault, its cause, and the first line of its diagnosis, with “…” for each part that varies.
    struct Row {
        let name: String
        let cause: String
        let line: String

        /// Returns `true` if a line is the row's, with any text in the place of each “…”.
        func matches(_ text: String) -> Bool {
            var rest = text[...]
            let parts = line.split(separator: "…", omittingEmptySubsequences: false)
            for (number, part) in parts.enumerated() where !part.isEmpty {
                // The first part begins the line, and the last one ends it.
                if number == parts.count - 1, number > 0 { return rest.hasSuffix(part) }
                guard let range = rest.firstRange(of: part), number > 0 || range.lowerBound == rest.startIndex else {
                    return false
                }
                rest = rest[range.upperBound...]
            }
            return parts.last?.isEmpty == true || rest.isEmpty
        }
    }

    let rows: [Row]

    init() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/why.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let table = page.split(separator: "| fault | cause | first line |\n").last ?? ""
        rows = table.split(separator: "\n\n").first?.split(separator: "\n").dropFirst().compactMap(Self.row) ?? []
    }

    private static func row(_ line: Substring) -> Row? {
        guard let match = line.wholeMatch(of: /\| (.+?) \| `([a-z-]+)` \| (.+) \|/) else { return nil }
        return Row(name: String(match.1), cause: String(match.2), line: String(match.3))
    }
}
