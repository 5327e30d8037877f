import Foundation
import Testing

/// The README's promise about packages, which must not go beyond what is tested.
@Suite("Packages in the README", .timeLimit(.minutes(10)))
struct PackagesTests {
    private static func text(of page: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        return try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    @Test("The README has arm64 among what is not there yet as long as the tests run on amd64 alone")
    func processors() throws {
        let row = try #require(
            try Self.text(of: "README.md").split(separator: "\n").first { $0.hasPrefix("| Packages | ") })
        let cells = row.split(separator: " | ")
        #expect(cells.count == 3)
        let isProven = try !Self.text(of: "docker/README.md").contains("our tests run on amd64 alone")
        #expect(cells.dropFirst().first?.contains("arm64") == isProven)
        #expect(cells.last?.contains("[arm64](docker/README.md#arm64)") != isProven)
    }
}
