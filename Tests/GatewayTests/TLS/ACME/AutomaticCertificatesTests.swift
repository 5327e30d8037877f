import ACME
import Foundation
import Server
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("The service that obtains certificates, without an authority", .timeLimit(.minutes(10)))
struct AutomaticCertificatesTests {
    private static let name = "push.example.com"

    /// Runs the service with a manual clock, after `prepare` has changed its folder.
    private func running(
        _ prepare: (CertificateFolder) throws -> Void, _ body: (CollectedLog, ManualClock) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { path in
            let (clock, log, port) = (ManualClock(), CollectedLog(), ListeningAddress())
            let folder = CertificateFolder(of: "test", in: try DataDirectory(creating: "\(path)/data"))
            try prepare(folder)
            let files = try CertificateFiles(
                [.automatic(name: Self.name, path: folder.path(of: Self.name))], now: { clock.timestamp },
                logger: log.logger)
            let service = AutomaticCertificates(
                ACMESettings(
                    domains: [Self.name], session: .init(directory: "http://127.0.0.1:1/dir"), caFile: nil),
                folder, files: files, challenges: ChallengeAnswers(), port: port, clock: clock,
                now: { clock.timestamp }, logger: log.logger)
            port.announce("http://127.0.0.1:80")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                try await body(log, clock)
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    private func failures(_ log: CollectedLog) -> [String] {
        log.lines.filter { $0.contains("failed to obtain a TLS certificate") }
    }

    /// Moves the clock, and waits until the service has looked and waits again.
    private func advance(_ clock: ManualClock, by duration: Duration) async {
        clock.advance(by: duration)
        #expect(await eventually { !clock.pendingSleeps.isEmpty }, "the service waits")
    }

    @Test("An authority that cannot be reached is asked again after two minutes, and then after four")
    func unreachable() async throws {
        try await running { _ in
        } _: { log, clock in
            #expect(await eventually { !clock.pendingSleeps.isEmpty })
            #expect(failures(log).count == 1 && failures(log)[0].contains("no answer: couldNotConnect"))
            await advance(clock, by: .seconds(60))
            #expect(failures(log).count == 1)
            // The longest pauses are 2 and 4 minutes and a tenth.
            await advance(clock, by: .seconds(75))
            #expect(failures(log).count == 2)
            await advance(clock, by: .seconds(230))
            #expect(failures(log).count == 2)
            await advance(clock, by: .seconds(35))
            #expect(failures(log).count == 3)
        }
    }

    @Test("A file that cannot be read is a failure with a pause, and the authority is not asked")
    func unreadable() async throws {
        try await running { folder in
            try FileManager.default.createDirectory(
                atPath: folder.path(of: Self.name), withIntermediateDirectories: true)
        } _: { log, clock in
            #expect(await eventually { !clock.pendingSleeps.isEmpty })
            #expect(failures(log).count == 1)
            await advance(clock, by: .seconds(60))
            #expect(failures(log).count == 1)
            await advance(clock, by: .seconds(75))
            #expect(failures(log).count == 2 && !log.lines.contains { $0.contains("obtaining a TLS certificate") })
        }
    }
}
