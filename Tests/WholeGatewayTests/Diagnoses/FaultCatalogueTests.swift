import Testing

/// A catalogue of faults, as operators have met them, and their diagnoses.
@Suite("Catalogue of faults", .serialized, .timeLimit(.minutes(10)))
struct FaultCatalogueTests {
    private static let catalogue =
        Fault.appleAnswers + Fault.network + Fault.overtaken + Fault.settings + Fault.registrations + Fault.browsers

    @Test("The first line names the true cause of at least 28 in 30 faults, in less than two seconds")
    func causes() async throws {
        #expect(Self.catalogue.count >= 30)
        var findings: [Fault.Finding] = []
        for fault in Self.catalogue { findings.append(try await fault.find()) }
        let table = findings.map(\.row).joined(separator: "\n")
        let right = findings.count { $0.isRight && $0.duration < .seconds(2) }
        #expect(right * 30 >= findings.count * 28, "\(table)")
        #expect(findings.allSatisfy { !$0.line.contains("\n") }, "\(table)")
        for (row, finding) in zip(try FaultTable().rows, findings) where finding.isRight {
            #expect(row.cause == finding.cause && row.matches(finding.line), "\(row)\n\(finding.row)")
        }
    }

    @Test("docs/why.md has a row for each fault in the order of the catalogue, with its cause and its words")
    func page() throws {
        let rows = try FaultTable().rows
        #expect(rows.map(\.name) == Self.catalogue.map(\.name))
        for (row, fault) in zip(rows, Self.catalogue) {
            #expect(fault.causes.contains(row.cause), "\(row)")
            #expect(fault.words.filter { !row.line.contains($0) } == [], "\(row)")
        }
    }

    @Test(
        "A row of the table is a line whose parts are in its order, with anything in the place of each ellipsis",
        arguments: [
            ("held up since …: why.", "held up since 9:41: why.", true), ("same", "same", true),
            ("… since … (…)…", "held up since 9:41 (X), 1 waits", true), ("held …", "held up", true),
            ("same", "same line", false), ("up …", "held up", false), ("held … why.", "held up: why", false),
            ("… 2 … 1", "1 2", false), ("since …: why.", "since: why.", false),
        ])
    func match(row: String, line: String, matches: Bool) {
        #expect(FaultTable.Row(name: "fault", cause: "cause", line: row).matches(line) == matches)
    }
}
