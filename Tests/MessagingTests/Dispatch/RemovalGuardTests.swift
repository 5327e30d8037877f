import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The guard against removing all registrations")
struct RemovalGuardTests {
    private static func after(_ counts: [(accepted: Int, unrecognized: Int)], every interval: Duration = .zero)
        -> RemovalGuard
    {
        var removal = RemovalGuard()
        var time = ManualClock.start
        for (accepted, unrecognized) in counts {
            removal.record(accepted: accepted, unrecognized: unrecognized, at: time)
            time = time.adding(interval)
        }
        return removal
    }

    @Test("The guard removes nothing before the lane has delivered a notification")
    func unproven() {
        #expect(!Self.after([(0, 1)]).allowsRemoval)
        #expect(!Self.after([(0, 1), (0, 1)]).allowsRemoval)
        #expect(Self.after([(0, 1), (1, 1)]).allowsRemoval)
    }

    @Test(
        "The guard allows up to five doubtful removals, and more up to a fifth of all",
        arguments: [
            (1, 5, true), (1, 6, false), (23, 6, false), (24, 6, true), (1_000, 250, true), (1_000, 251, false),
        ])
    func share(accepted: Int, unrecognized: Int, allows: Bool) {
        #expect(Self.after([(accepted, unrecognized)]).allowsRemoval == allows)
    }

    @Test("An old delivery proves the lane but does not outweigh recent unknown tokens")
    func time() {
        #expect(Self.after([(10_000, 0), (0, 5)], every: .seconds(86_400)).allowsRemoval)
        #expect(!Self.after([(10_000, 0), (0, 6)], every: .seconds(86_400)).allowsRemoval)
        #expect(Self.after([(100, 0), (0, 6)], every: .seconds(3_600)).allowsRemoval)
        #expect(Self.after([(1, 50), (0, 0), (1, 1)], every: .seconds(7_200)).allowsRemoval)
    }

    @Test("A wrong environment removes no registration and is reported once an hour")
    func wrongEnvironment() async throws {
        let bench = try Bench(ScriptedTransport { _ in .unknownToken })
        var targets: [Target] = []
        for number in 0..<20 { targets.append(try await bench.register("phone\(number)", token: "t\(number)")) }
        try await bench.running {
            for _ in 0..<3 {
                let delivery = try await bench.outbox.accept(.sample(targets))
                try await bench.settled(delivery)
                try await eventually("the outcome is counted") { delivery.progress.pending == 0 }
                #expect(delivery.progress.pruned == 0)
                #expect(delivery.progress.errors == [.invalidRegistrationToken: 20])
            }
            #expect(Self.reports(bench, "error") == 1)
            bench.clock.advance(by: .seconds(3_600))
            try await bench.settled(try await bench.outbox.accept(.sample(targets)))
            #expect(Self.reports(bench, "error") == 2)
        }
        for target in targets { #expect(try await bench.exists(target)) }
        #expect(!bench.log.lines.contains { $0.contains("\"t1\"") })
    }

    /// The number of reports of withheld removals at a level.
    private static func reports(_ bench: Bench, _ level: String) -> Int {
        let line = "\(level) keeping registrations whose tokens the push service does not know"
        return bench.log.lines.count { $0.hasPrefix(line) }
    }

    @Test("Answers of strangers' servers are logged at debug alone")
    func strangers() async throws {
        let transport = ScriptedTransport(strangers: ["strange"]) { sent in
            sent.token == "unknown"
                ? .unknownToken : .failed(Failure(code: .serverUnavailable, reason: "HTTP503"))
        }
        let bench = try Bench(transport)
        try await bench.running {
            for topic in ["strange", "known"] {
                let unknown = try await bench.register("\(topic)-1", token: "unknown", topic: topic)
                let failing = try await bench.register("\(topic)-2", token: "failing", topic: topic)
                try await bench.settled(try await bench.outbox.accept(.sample([unknown])))
                _ = try await bench.outbox.accept(.sample([failing]))
                let level = topic == "known" ? "notice" : "debug"
                try await eventually("the failure is in the log") {
                    bench.log.lines.contains { $0.hasPrefix("\(level) failed; retrying later") }
                }
            }
        }
        #expect(Self.reports(bench, "debug") == 1 && Self.reports(bench, "error") == 1)
        for level in ["debug", "info"] {
            #expect(bench.log.lines.count { $0.hasPrefix("\(level) rejected") } == 1)
        }
    }

    @Test("A delivery to the default app also counts for registrations that name that app")
    func namedApp() async throws {
        let transport = ScriptedTransport(defaultTopic: "com.example.app") { sent in
            sent.token == "unknown" ? .unknownToken : .accepted
        }
        let bench = try Bench(transport)
        let good = try await bench.register("good", token: "good")
        let unknown = try await bench.register("unknown", token: "unknown", topic: "com.example.app")
        try await bench.running {
            for target in [good, unknown] { try await bench.settled(try await bench.outbox.accept(.sample([target]))) }
            #expect(try await !bench.exists(unknown))
        }
    }

    @Test("One unknown token among good ones is removed, and a certain unregistration needs no guard")
    func single() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token {
                case "unknown": .unknownToken
                case "gone": .dead
                default: .accepted
                }
            })
        let unknown = try await bench.register("unknown", token: "unknown")
        let gone = try await bench.register("gone", token: "gone")
        let good = try await bench.register("good", token: "good")
        try await bench.running {
            let first = try await bench.outbox.accept(.sample([gone]))
            try await bench.settled(first)
            #expect(try await !bench.exists(gone))
            try await bench.settled(try await bench.outbox.accept(.sample([unknown])))
            #expect(try await bench.exists(unknown))
            try await bench.settled(try await bench.outbox.accept(.sample([good, unknown])))
            #expect(try await !bench.exists(unknown))
            #expect(try await bench.exists(good))
        }
    }
}
