import Console
import Foundation
import Testing

/// docs/why.md and the causes of the code, which must not drift apart.
@Suite("Page about diagnoses", .timeLimit(.minutes(10)))
struct DiagnosisPageTests {
    @Test("Every cause has a row, and every row is a cause")
    func causes() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/why.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let table = page.split(separator: "| cause | meaning |").last ?? ""
        let rows = table.matches(of: /\n\| `([a-z-]+)` \|/).map { String($0.1) }
        #expect(Set(rows) == Set(DiagnosisCause.allCases.map(\.rawValue)))
        #expect(rows.count == DiagnosisCause.allCases.count)
    }
}
