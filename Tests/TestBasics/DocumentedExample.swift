import Foundation

/// A block of Swift code of a page or a doc comment. A test contains the same lines, so that they are compiled and run.
package struct DocumentedExample: Sendable, CustomStringConvertible {
    /// The page, as a path from the repository's root.
    package let page: String
    private let lines: [String]

    /// The page and the block's first line.
    package var description: String { "\(page): \(lines.first ?? "")" }

    /// Returns the blocks of Swift code of a page, which is Markdown, or Swift with doc comments.
    ///
    /// - Parameter page: a path from the repository's root.
    package static func all(in page: String) throws -> [DocumentedExample] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        var lines = try Self.lines(of: root.appending(path: page))
        if page.hasSuffix(".swift") { lines = lines.compactMap(Self.commentText) }
        return blocks(in: lines).map { DocumentedExample(page: page, lines: $0) }
    }

    /// Returns `true` if the file imports the example's modules and contains its other lines one after another, all
    /// indented by the same number of spaces.
    package func isPart(of file: String) throws -> Bool {
        let source = try Self.lines(of: URL(filePath: file))
        let isImport = { (line: String) in line.hasPrefix("import ") }
        guard lines.filter(isImport).allSatisfy(source.contains) else { return false }
        let code = lines.drop { isImport($0) || $0.isEmpty }
        return source.indices.contains { start in
            let indentation = source[start].prefix { $0 == " " }
            return source[start...].prefix(code.count).elementsEqual(code.map { $0.isEmpty ? "" : indentation + $0 })
        }
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// Returns the text of a line of a doc comment; `nil` for other lines.
    private static func commentText(_ line: String) -> String? {
        let line = line.drop { $0 == " " }
        return line.hasPrefix("///") ? String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) : nil
    }

    private static func blocks(in lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var isInside = false
        for line in lines {
            if line.hasPrefix("```") {
                isInside = line == "```swift"
                if isInside { blocks.append([]) }
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }
}
