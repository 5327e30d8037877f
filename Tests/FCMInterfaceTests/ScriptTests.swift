import Emulator
import HTTPTypes
import JSON
import Messaging
import Server
import TestDoubles
import Testing

@testable import FCMInterface

@Suite("Scripts of the emulated push service", .timeLimit(.minutes(10)))
struct ScriptTests {
    @Test("A scripted delay passes once, before the answer")
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

    @Test("A script with a count of two applies to two messages of any kind")
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

    @Test("A script without an error counts down too")
    func timesOfDelay() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(times: 2))
        try await bench.running {
            let error = try await bench.error(sending: ["token": "a"])
            #expect(error == nil && bench.scripts.all.map(\.times) == [1])
        }
    }

    @Test("A dry run ignores scripts and leaves their counts")
    func dryRun() async throws {
        let bench = try MessageEndpointBench()
        bench.scripts.add(.init(error: .serverUnavailable, times: 1))
        for target: JSONValue in [["token": "a"], ["topic": "news"]] {
            #expect(try await bench.error(sending: target, isDryRun: true) == nil)
        }
        #expect(bench.scripts.all.map(\.times) == [1])
    }

    @Test("A script applies to emulated tokens only if the gateway delivers to Apple")
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

    @Test("A script for a registration token applies to sends by token and by installation id")
    func imported() async throws {
        let bench = try MessageEndpointBench()
        let device = String(repeating: "0a", count: 32)
        let made = try await bench.endpoint.resolver.importTokens(
            [device], of: .apns, for: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
        let token = try #require(made.first ?? nil)
        bench.scripts.add(.init(token: token, error: .registrationTokenNotRegistered))
        for target: JSONValue in [["token": .string(token.value)], ["fid": .string(String(token.value.prefix(22)))]] {
            #expect(try await bench.error(sending: target)?.status == .notFound)
        }
    }
}
