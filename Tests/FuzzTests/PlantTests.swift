import Fuzzing
import TestBasics
import Testing

@Suite("Fuzzing of a server with a planted fault", .timeLimit(.minutes(10)))
struct PlantTests {
    private static let seed: UInt64 = 12

    /// - Parameter patience: the time for an answer. A server that is only slow, as all are on a busy machine, has no
    ///   fault; one that hangs is found after this time.
    private func fuzz(
        _ target: FuzzTarget, requests: Int = 3_000, only: Int? = nil, patience: Duration = .seconds(15)
    ) async throws -> FuzzReport {
        var configuration = FuzzConfiguration(seed: Self.seed, requests: requests)
        configuration.patience = patience
        configuration.lanes = 8
        configuration.maximumFindings = 1
        configuration.only = only
        return try await Fuzzer(configuration, target: target, routes: StandIn.routes).run()
    }

    @Test("A server without a fault gives no finding over thousands of requests of HTTP/1 and HTTP/2")
    func clean() async throws {
        let report = try await StandIn.running(.none) { try await fuzz($0, patience: .patience) }
        #expect(report.findings.isEmpty, "\(report)")
        #expect(report.requests >= 3_000)
        #expect(report.answers(in: 2) > 500)
        #expect(report.answers(in: 4) > 500)
    }

    @Test(
        "A planted fault of any kind is found",
        arguments: [
            (StandIn.Plant.serverError, Fault.Kind.serverError), (.hang, .noAnswer), (.staysOpen, .notClosed),
        ])
    func found(plant: StandIn.Plant, kind: Fault.Kind) async throws {
        let report = try await StandIn.running(plant) { try await fuzz($0) }
        let finding = try #require(report.findings.first { $0.fault.kind == kind }, "\(report)")
        #expect(!finding.bytes.isEmpty)
        #expect(report.requests < 3_000)
    }

    @Test("A crash is found, and its case is among the suspects")
    func crash() async throws {
        let report = try await StandIn.running(.crash) { try await fuzz($0) }
        let finding = try #require(report.findings.first { $0.fault.kind == .crash }, "\(report)")
        var culprits = 0
        for suspect in finding.suspects {
            let again = try await StandIn.running(.crash) { try await fuzz($0, only: suspect.number) }
            if again.findings.contains(where: { $0.fault.kind == .crash }) { culprits += 1 }
        }
        #expect(culprits >= 1)
    }

    @Test("A finding is repeated by its seed and its number")
    func again() async throws {
        let report = try await StandIn.running(.serverError) { try await fuzz($0) }
        let finding = try #require(report.findings.first)
        let number: Int = try #require(finding.number)
        let again = try await StandIn.running(.serverError) { try await fuzz($0, only: number) }
        #expect(again.findings.map(\.bytes).contains(finding.bytes), "\(again)")
    }

    @Test("A fault is found over each protocol, HTTP/2 included")
    func overHTTP2() async throws {
        let report = try await StandIn.running(.serverError) { target in
            var configuration = FuzzConfiguration(seed: Self.seed, requests: 6_000)
            configuration.patience = .patience
            return try await Fuzzer(configuration, target: target, routes: StandIn.routes).run()
        }
        let ways = Set(report.findings.compactMap(\.way))
        #expect(ways.contains(.plain) && ways.contains(.tls) && ways.contains(.tlsHTTP2), "\(report)")
    }
}
