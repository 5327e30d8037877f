import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import Gateway

@Suite("Scripts of the emulated push service", .timeLimit(.minutes(1)))
struct ScriptTests {
    @Test("a delay is waited for once, before the answer")
    func delay() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(token: RegistrationToken("phone"), delay: .seconds(2)))
        try await bench.running {
            async let error = bench.error(sending: ["token": "phone"])
            try await eventually("the endpoint waits") { bench.clock.pendingSleeps == [.seconds(2)] }
            #expect(bench.inbox.items().isEmpty)
            bench.clock.advance(by: .seconds(2))
            #expect(try await error == nil)
            #expect(bench.inbox.items().count == 1)
        }
    }

    @Test("with so many times it is for so many messages")
    func times() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(error: .serverUnavailable, times: 2))
        try await bench.running {
            var statuses: [Int?] = []
            for target: JSONValue in [["token": "a"], ["topic": "news"], ["fid": "cAAAAAAAAAAAAAAAAAAAAA"]] {
                statuses.append(try await bench.error(sending: target)?.status.code)
            }
            #expect(statuses == [503, 503, nil])
            #expect(bench.inbox.items().count == 1)
        }
    }

    @Test("without an error it is for so many messages too")
    func timesOfDelay() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(times: 2))
        try await bench.running {
            let error = try await bench.error(sending: ["token": "a"])
            #expect(error == nil && bench.scripts.all.map(\.times) == [1])
        }
    }

    @Test("a dry run meets none, and uses none")
    func dryRun() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(error: .serverUnavailable, times: 1))
        for target: JSONValue in [["token": "a"], ["topic": "news"]] {
            #expect(try await bench.error(sending: target, isDryRun: true) == nil)
        }
        #expect(bench.scripts.all.map(\.times) == [1])
    }

    @Test("one that was forgotten does not answer what is really delivered")
    func production() async throws {
        let bench = try MessageEndpointBench(isEmulator: false)
        bench.scripts.add(.init(error: .serverUnavailable))
        try await bench.running {
            let device = JSONValue.string(String(repeating: "0a", count: 32))
            var statuses: [Int?] = []
            for target: JSONValue in [["token": device], ["topic": "news"], ["token": "emulated:a"]] {
                statuses.append(try await bench.error(sending: target)?.status.code)
            }
            #expect(statuses == [nil, nil, 503])
        }
    }

    @Test("for a registration token it holds for what is behind it, by whatever it is sent to")
    func imported() async throws {
        let bench = try MessageEndpointBench()
        let device = String(repeating: "0a", count: 32)
        let made = try await bench.endpoint.directory.importTokens(
            [device], bundleID: "com.example.app", environment: .sandbox)
        let token = try #require(made.first ?? nil)
        bench.scripts.add(.init(token: token, error: .registrationTokenNotRegistered))
        for target: JSONValue in [["token": .string(token.value)], ["fid": .string(String(token.value.prefix(22)))]] {
            #expect(try await bench.error(sending: target)?.status == .notFound)
        }
    }
}
