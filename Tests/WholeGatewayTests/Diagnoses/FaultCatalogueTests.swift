import Testing

/// A catalogue of faults, as operators have met them, and their diagnoses.
@Suite("Catalogue of faults", .serialized, .timeLimit(.minutes(10)))
struct FaultCatalogueTests {
    private static let catalogue =
        Fault.appleAnswers + Fault.network + Fault.overtaken + Fault.settings + Fault.registrations + Fault.browsers

    @Test("The first line names the true cause of at least 28 in 30 faults, each in less than two seconds")
    func causes() async throws {
        #expect(Self.catalogue.count >= 30)
        var findings: [Fault.Finding] = []
        for fault in Self.catalogue { findings.append(try await fault.find()) }
        let table = findings.map(\.row).joined(separator: "\n")
        let right = findings.filter(\.isRight).count
        #expect(right * 30 >= findings.count * 28, "\(table)")
        #expect(findings.allSatisfy { $0.duration < .seconds(2) }, "\(table)")
        #expect(findings.allSatisfy { !$0.line.contains("\n") }, "\(table)")
    }
}
