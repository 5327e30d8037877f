import Foundation
import Testing

/// The links between the pages of the repository.
@Suite("Links of the documentation", .timeLimit(.minutes(10)))
struct LinkTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// The pages, as paths from the repository's root.
    private static func pages() throws -> [String] {
        let manager = FileManager.default
        let top = try manager.contentsOfDirectory(atPath: root.path)
        let below = try ["docs", "Sources", "store", "Benchmarks", "connectors", "examples"].flatMap { folder in
            try manager.subpathsOfDirectory(atPath: root.appending(path: folder).path).map { "\(folder)/\($0)" }
        }
        return (top + below).filter { $0.hasSuffix(".md") }.sorted()
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    /// The anchors of a page's headings, as GitHub makes them.
    private static func anchors(of page: String) throws -> Set<String> {
        let headings = try text(of: page).split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                heading.drop { $0 == "#" || $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            })
    }

    @Test("Every relative link of a page leads to a file, and to a heading if it names one")
    func links() throws {
        var broken: [String] = []
        var count = 0
        for page in try Self.pages() {
            let folder = URL(fileURLWithPath: page).deletingLastPathComponent().relativePath
            for match in try Self.text(of: page).matches(of: /\]\(([^)\s:#]*)(?:#([^)\s]+))?\)/) {
                count += 1
                let target = match.1.isEmpty ? page : "\(folder)/\(match.1)"
                let file = Self.root.appending(path: target).standardized
                let path = String(file.path.dropFirst(Self.root.path.count + 1))
                guard FileManager.default.fileExists(atPath: file.path) else {
                    broken.append("\(page): \(match.1)")
                    continue
                }
                guard let anchor = match.2, path.hasSuffix(".md") else { continue }
                if try !Self.anchors(of: path).contains(String(anchor)) { broken.append("\(page): \(path)#\(anchor)") }
            }
        }
        #expect(count > 200)
        #expect(broken == [])
    }

    @Test("Every picture of a page is a file, and has a text in its place")
    func pictures() throws {
        var count = 0
        for page in try Self.pages() {
            let text = try Self.text(of: page)
            let folder = Self.root.appending(path: page).deletingLastPathComponent()
            for match in text.matches(of: /\bsrc(?:set)?="([^"]+)"/) {
                count += 1
                let file = folder.appending(path: String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: file), "\(page): \(match.1)")
            }
            #expect(text.matches(of: /<img [^>]*\balt="[^"]+"/).count == text.matches(of: /<img\b/).count, "\(page)")
        }
        #expect(count >= 5)
    }
}
