import ACME
import Cryptography
import DocumentStore
import Foundation
import HTTPClient
import Hummingbird
import JSON
import Logging
import Server
import Synchronization
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

/// An authority with renewal information, which Pebble does not have: Pebble's directory with one more URL. It also
/// answers challenges, as a gateway's port does.
private struct InformedAuthority {
    let directory: String
    private let state: InformedState

    final class InformedState: Sendable {
        struct Values {
            var window = ("2099-01-01T00:00:00Z", "2099-01-02T00:00:00.5Z")
            var questions: [String] = []
        }
        let values = Mutex(Values())
    }

    /// The certificates that were asked about.
    var questions: [String] { state.values.withLock(\.questions) }

    func suggest(_ start: String, _ end: String) { state.values.withLock { $0.window = (start, end) } }

    static func running(
        beside pebble: Pebble, _ challenges: ChallengeAnswers, _ body: (InformedAuthority) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = pebble.caFile
        let json = try await withHTTPClient(configuration) { client in
            try JSONValue(parsing: try await client.execute(HTTPClientRequest(url: pebble.directory)).body)
        }
        let url = "http://127.0.0.1:\(pebble.challengePort)"
        var members = json.object ?? JSONObject()
        members["renewalInfo"] = .string("\(url)/renewal-info")
        let (state, directory) = (InformedState(), JSONValue.object(members).text)
        let router = Router(context: GatewayRequestContext.self)
        router.get("dir") { _, _ in directory }
        router.get("renewal-info/:id") { _, context in
            let window = state.values.withLock { values in
                values.questions.append(context.parameters.get("id") ?? "")
                return values.window
            }
            return #"{"suggestedWindow":{"start":"\#(window.0)","end":"\#(window.1)"}}"#
        }
        router.get(".well-known/acme-challenge/:token") { request, _ in
            challenges.answer(to: request) ?? Response(status: .notFound)
        }
        var logger = Logger(label: "stand-in")
        logger.logLevel = .critical
        let (running, started) = AsyncStream<Void>.makeStream()
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: pebble.challengePort)),
            onServerRunning: { _ in started.finish() }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { started.finish() }
                try await application.run()
            }
            for await _ in running {}
            let authority = InformedAuthority(directory: "\(url)/dir", state: state)
            let result: Swift.Result<Void, any Error>
            do {
                result = .success(try await body(authority))
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            try? await group.waitForAll()
            try result.get()
        }
    }
}

@Suite("Renewal information of an authority", .timeLimit(.minutes(10)), .enabled(if: Pebble.isInstalled))
struct RenewalInformationTests {
    private static let name = "push.example.com"

    @Test("A certificate is renewed when the authority's window moves into the past, and only then")
    func window() async throws {
        try await Pebble.running { pebble in
            try await withTemporaryDirectory { path in
                let (challenges, clock, log) = (ChallengeAnswers(), ManualClock(), CollectedLog())
                try await InformedAuthority.running(beside: pebble, challenges) { authority in
                    let folder = CertificateFolder(of: "test", in: try DataDirectory(creating: "\(path)/data"))
                    let settings = ACMESettings(
                        domains: [Self.name], session: .init(directory: authority.directory), caFile: pebble.caFile)
                    let files = try CertificateFiles(
                        [.automatic(name: Self.name, path: folder.path(of: Self.name))], now: { clock.timestamp },
                        logger: log.logger)
                    let port = ListeningAddress()
                    let service = AutomaticCertificates(
                        settings, folder, files: files, challenges: challenges, port: port, clock: clock,
                        now: { clock.timestamp }, logger: log.logger)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await service.run() }
                        // Nothing is asked for before the port is open.
                        #expect(try folder.existingAccountKey().map(\.pem) == nil)
                        port.announce("http://127.0.0.1:80")
                        #expect(
                            try await eventually {
                                try folder.certificate(for: Self.name) != nil && !clock.pendingSleeps.isEmpty
                            }, "there is a certificate")
                        let first = try #require(try folder.certificate(for: Self.name))
                        clock.advance(by: .seconds(60))
                        #expect(
                            await eventually { authority.questions == [first.renewalID] }, "the authority is asked")
                        authority.suggest("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z")
                        #expect(await eventually { !clock.pendingSleeps.isEmpty }, "the service waits")
                        #expect(try folder.certificate(for: Self.name) == first)
                        for _ in 0..<2 {
                            clock.advance(by: .seconds(6 * 3_600 + 60))
                            #expect(await eventually { !clock.pendingSleeps.isEmpty }, "the service waits")
                        }
                        #expect(
                            try await eventually {
                                try folder.certificate(for: Self.name) != first
                            }, "there is another certificate")
                        group.cancelAll()
                        try await group.waitForAll()
                    }
                }
                #expect(log.lines.filter { $0.hasPrefix("error") } == [])
            }
        }
    }
}
