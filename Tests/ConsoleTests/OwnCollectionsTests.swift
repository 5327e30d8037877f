import Foundation
import Testing

@testable import Console

@Suite("The gateway's own collections")
struct OwnCollectionsTests {
    @Test("The console knows exactly the collections that docs/store.md lists")
    func documentation() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let page = try String(contentsOf: root.appending(path: "docs/store.md"), encoding: .utf8)
        let table = try #require(page.split(separator: "| documents | system and fields |").last)
        let rows = table.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("|") }
        var listed: Set<String> = []
        for row in rows {
            let cell = row.split(separator: "|").first ?? ""
            for match in cell.matches(of: /`([A-Za-z]+)\//) { listed.insert(String(match.1)) }
        }
        #expect(!listed.isEmpty && OwnCollections.names == listed)
    }
}
