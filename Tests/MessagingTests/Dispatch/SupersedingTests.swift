import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("A message that replaces older ones")
struct SupersedingTests {
    /// A push service that fails while the switch is on.
    private final class Weather: Sendable {
        private let failure: Mutex<Outcome?>

        init(_ failure: Outcome? = nil) { self.failure = Mutex(failure) }

        var outcome: Outcome { failure.withLock { $0 ?? .accepted } }
        func turn(_ failure: Outcome?) { self.failure.withLock { $0 = failure } }
    }

    private static func transport(_ weather: Weather) -> ScriptedTransport {
        ScriptedTransport { _ in weather.outcome }
    }

    private func draft(_ body: String, id: String? = "chat", owner: String? = nil, type: String? = nil) -> Draft {
        var headers: [String: String] = [:]
        headers["apns-collapse-id"] = id
        headers["apns-push-type"] = type
        return Draft(
            message: Message(
                notification: .init(body: body), apns: .init(headers: headers)),
            lifetime: .seconds(86_400), source: "test", owner: owner,
            registrationFields: RegistrationFields(token: "token", environment: "environment"))
    }

    private func target(_ token: String = "phone", topic: String? = nil) -> Target {
        Target(address: PushAddress(token: token, app: AppIdentity(bundleID: topic)), registration: nil)
    }

    /// Accepts messages one after the other.
    private func accept(
        _ bodies: [String], id: String? = "chat", on bench: Bench
    ) async throws -> [Delivery] {
        var deliveries: [Delivery] = []
        for body in bodies {
            bench.clock.advance(by: .microseconds(1))
            deliveries.append(try await bench.outbox.accept(draft(body, id: id), to: [target()]))
        }
        return deliveries
    }

    private func settled(_ deliveries: [Delivery], on bench: Bench) async throws {
        try await eventually("all settle", advancing: bench.clock, by: .milliseconds(100)) {
            for delivery in deliveries where try await !bench.isSettled(delivery.messageID) { return false }
            return true
        }
    }

    /// Waits until an attempt at a message has failed, and its failure is stored.
    private func failed(_ delivery: Delivery, on bench: Bench) async throws {
        try await eventually("the failure is stored") {
            try await bench.chunk(delivery.messageID).targets.contains { $0["failures"] != nil }
        }
    }

    private func state(_ delivery: Delivery, on bench: Bench) async throws -> [NotificationRecord.State] {
        let history = DeliveryHistory(store: bench.disk.documents)
        return try await history.delivery(of: delivery.messageID)?.notifications.map(\.state) ?? []
    }

    // MARK: One phone

    @Test("A message that waits for its retry is not sent after a newer one")
    func afterOneFailure() async throws {
        let weather = Weather(.busy)
        let bench = try Bench(Self.transport(weather))
        try await bench.running {
            let old = try await accept(["old"], on: bench)[0]
            try await failed(old, on: bench)
            weather.turn(nil)
            let new = try await accept(["new"], on: bench)[0]
            // It shows before its time has come.
            #expect(try await state(old, on: bench) == [.superseded])
            try await settled([old, new], on: bench)
            #expect(try await state(old, on: bench) == [.superseded])
            #expect(try await state(new, on: bench) == [.accepted])
            #expect(try await bench.chunk(old.messageID)["collapseKey"] == nil)
            #expect(try await bench.chunk(old.messageID)["superseded"] == nil)
        }
        #expect(bench.transport.bodies == ["old", "new"])
    }

    @Test("A message that waits for its retry is not sent after one that the next process accepts")
    func afterRestart() async throws {
        let bench = try Bench(Self.transport(Weather(.busy)))
        var old: [Delivery] = []
        try await bench.running {
            old = try await accept(["old"], on: bench)
            try await failed(old[0], on: bench)
        }
        let next = try Bench(on: bench)
        let new = try await accept(["new"], on: next)
        try await next.running { try await settled(old + new, on: next) }
        #expect(next.transport.bodies == ["new"])
        #expect(try await state(old[0], on: next) == [.superseded])
    }

    @Test(
        "After an outage only the newest of five is sent",
        arguments: [
            Outcome.laneRefused,
            .failed(.init(code: .serverUnavailable, reason: "Down", laneFailure: .unreachable)), .busy,
        ])
    func outage(failure: Outcome) async throws {
        let weather = Weather(failure)
        let bench = try Bench(Self.transport(weather))
        var deliveries: [Delivery] = []
        try await bench.running {
            deliveries += try await accept(["1"], on: bench)
            try await failed(deliveries[0], on: bench)
            deliveries += try await accept(["2", "3", "4"], on: bench)
        }
        #expect(bench.transport.bodies.first == "1")
        let next = try Bench(Self.transport(weather), on: bench)
        deliveries += try await accept(["5"], on: next)
        try await next.running {
            try await failed(deliveries[4], on: next)
            weather.turn(nil)
            try await settled(deliveries, on: next)
        }
        #expect(next.transport.bodies.last == "5")
        #expect(Set(next.transport.bodies) == ["5"])
        for delivery in deliveries.dropLast() {
            #expect(try await state(delivery, on: next) == [.superseded])
        }
    }

    @Test("Callers learn that a newer message has replaced theirs, which is neither sent nor an error")
    func progress() async throws {
        let weather = Weather(.busy)
        let bench = try Bench(Self.transport(weather))
        try await bench.running {
            let old = try await accept(["old"], on: bench)[0]
            try await failed(old, on: bench)
            weather.turn(nil)
            let new = try await accept(["new"], on: bench)[0]
            try await settled([old, new], on: bench)
            #expect(old.progress.attempted == 1 && old.progress.superseded == 1)
            #expect(old.progress.sent == 0 && old.progress.pending == 0 && old.progress.errors.isEmpty)
            #expect(new.progress.sent == 1 && new.progress.superseded == 0)
        }
    }

    @Test("A newer message waits for the answer to the one in flight, for 2 s at most", arguments: [true, false])
    func inFlight(isAnswered: Bool) async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { sent in
                if sent.message.message.notification?.body == "old" { await gate.pass() }
                return .accepted
            })
        try await bench.running {
            let old = try await accept(["old"], on: bench)[0]
            try await eventually("the old one is in flight") { gate.waiting == 1 }
            let new = try await accept(["new"], on: bench)[0]
            for _ in 0..<19 { bench.clock.advance(by: .milliseconds(100)) }
            #expect(bench.transport.bodies == ["old"])
            if isAnswered { gate.open() }
            try await eventually("the new one is sent", advancing: bench.clock, by: .milliseconds(50)) {
                bench.transport.bodies == ["old", "new"]
            }
            gate.open()
            try await bench.settled(new)
            try await bench.settled(old)
            #expect(try await state(old, on: bench) == [.accepted])
        }
    }

    @Test("A refusal of the app holds up the lane also if the notification was replaced while it was in flight")
    func refusedAfterReplacement() async throws {
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.message.message.notification?.body == "old" else { return .accepted }
                await gate.pass()
                return .laneRefused
            })
        try await bench.running {
            let old = try await accept(["old"], on: bench)[0]
            try await eventually("the old one is in flight") { gate.waiting == 1 }
            let new = try await accept(["new"], on: bench)[0]
            gate.open()
            try await settled([old, new], on: bench)
            #expect(bench.log.lines.contains { $0.contains("pausing a lane; the push service refuses its app") })
            #expect(try await state(old, on: bench) == [.superseded])
        }
        #expect(bench.transport.bodies == ["old", "new"])
    }

    // MARK: Other messages

    @Test("A message of another id, sender, push type or app replaces nothing")
    func others() async throws {
        let weather = Weather(.busy)
        let bench = try Bench(Self.transport(weather))
        try await bench.running {
            let old = try await bench.outbox.accept(draft("old", type: "alert"), to: [target()])
            try await failed(old, on: bench)
            weather.turn(nil)
            for (draft, target) in [
                (draft("id", id: "other", type: "alert"), target()), (draft("none", id: nil, type: "alert"), target()),
                (draft("sender", owner: "b", type: "alert"), target()), (draft("type", type: "background"), target()),
                (draft("app", type: "alert"), target(topic: "app")), (draft("phone", type: "alert"), target("p2")),
            ] { try await bench.settled(try await bench.outbox.accept(draft, to: [target])) }
            try await eventually("the old one is sent too", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(old.messageID)
            }
            #expect(try await state(old, on: bench) == [.accepted])
        }
        #expect(bench.transport.bodies.last == "old")
    }

    @Test(
        "A device is the same whether or not its registration names the app and the environment",
        arguments: [true, false])
    func identity(isNamedFirst: Bool) async throws {
        let named = PushAddress(token: "phone", app: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
        let addresses = isNamedFirst ? [named, PushAddress(token: "phone")] : [PushAddress(token: "phone"), named]
        let targets = addresses.map { Target(address: $0, registration: nil) }
        let weather = Weather(.busy)
        let bench = try Bench(ScriptedTransport(defaultTopic: "com.example.app") { _ in weather.outcome })
        try await bench.running {
            let old = try await bench.outbox.accept(draft("old"), to: [targets[0]])
            try await failed(old, on: bench)
            weather.turn(nil)
            let new = try await bench.outbox.accept(draft("new"), to: [targets[1]])
            try await settled([old, new], on: bench)
            #expect(try await state(old, on: bench) == [.superseded])
            #expect(try await state(new, on: bench) == [.accepted])
        }
        #expect(bench.transport.bodies == ["old", "new"])
    }

    @Test("A message whose lane is being read is not sent after a newer one in the lane of the other environment")
    func whileLaneIsRead() async throws {
        let gate = Gate()
        let weather = Weather(.laneRefused)
        let bench = try Bench(ScriptedTransport(defaultTopic: "com.example.app") { _ in weather.outcome })
        let named = PushAddress(token: "phone", app: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
        try await bench.running {
            let other = try await bench.outbox.accept(draft("other", id: nil), to: [target("other")])
            try await eventually("the lane is held up") { !bench.dispatcher.pausedLanes.isEmpty }
            weather.turn(nil)
            bench.store.set { hooks in
                // The names of due chunks.
                hooks.beforeQuery = { query in if query.projection?.isEmpty == true { await gate.pass() } }
            }
            try await eventually("the lane is being read", advancing: bench.clock, by: .milliseconds(100)) {
                gate.waiting == 1
            }
            let old = try await accept(["old"], on: bench)[0]
            bench.clock.advance(by: .microseconds(1))
            let new = try await bench.outbox.accept(draft("new"), to: [Target(address: named, registration: nil)])
            try await bench.settled(new)
            gate.open()
            try await settled([other, old], on: bench)
            #expect(try await state(old, on: bench) == [.superseded])
            #expect(try await state(new, on: bench) == [.accepted])
        }
        #expect(bench.transport.bodies == ["other", "new", "other"])
    }

    @Test("A message to many replaces those to the same phones only")
    func targetByTarget() async throws {
        let weather = Weather(.busy)
        let bench = try Bench(Self.transport(weather))
        try await bench.running {
            let old = try await bench.outbox.accept(draft("old"), to: ["a", "b", "c"].map { target($0) })
            try await failed(old, on: bench)
            weather.turn(nil)
            let new = try await bench.outbox.accept(draft("new"), to: ["b", "c", "d"].map { target($0) })
            try await settled([old, new], on: bench)
            #expect(try await state(old, on: bench) == [.accepted, .superseded, .superseded])
            #expect(old.progress.sent == 1 && old.progress.superseded == 2)
        }
        let last = Dictionary(bench.transport.sent.map { ($0.token, $0.body) }) { $1 }
        #expect(last == ["a": "old", "b": "new", "c": "new", "d": "new"])
    }

    @Test("A gateway does not send what another one has replaced")
    func twoGateways() async throws {
        let weather = Weather(.busy)
        let cluster = TestCluster()
        let first = try Bench(Self.transport(weather), membership: cluster.join("a"))
        let second = try Bench(Self.transport(weather), on: first, membership: cluster.join("b"))
        try await first.running {
            let old = try await accept(["old"], on: first)[0]
            try await failed(old, on: first)
            weather.turn(nil)
            try await second.running {
                try await second.settled(try await accept(["new"], on: second)[0])
                try await eventually("the old one settles", advancing: first.clock, by: .milliseconds(100)) {
                    try await first.isSettled(old.messageID)
                }
            }
            #expect(try await state(old, on: first) == [.superseded])
        }
        #expect(first.transport.bodies == ["old"])
        #expect(second.transport.bodies == ["new"])
    }

    @Test("A trigger without a waiting predecessor reads nothing from disk, also while others wait")
    func noReads() async throws {
        let queries = Mutex(0)
        let bench = try Bench(ScriptedTransport { $0.token == "busy" ? .busy : .accepted })
        try await bench.running {
            try await eventually("the queues are read") { bench.dispatcher.lanes.isCaughtUp }
            try await bench.settled(try await accept(["first"], on: bench)[0])
            let busy = try await bench.outbox.accept(draft("busy", id: "other"), to: [target("busy")])
            try await failed(busy, on: bench)
            bench.store.set { hooks in
                hooks.beforeQuery = { query in
                    // The queries for queues name the field, and have a projection.
                    guard query.projection == nil, "\(query)".contains("collapseKey") else { return }
                    queries.withLock { $0 += 1 }
                }
            }
            for _ in 0..<5 { try await bench.settled(try await accept(["next"], on: bench)[0]) }
            #expect(queries.withLock(\.self) == 0)
            _ = try await bench.outbox.accept(draft("busy", id: "other"), to: [target("busy")])
            #expect(queries.withLock(\.self) == 1)
        }
    }

    @Test("With other gateways, only a message of a period in which none of them has chunks reads nothing from disk")
    func noReadsAlone() async throws {
        let queries = Tally()
        let bench = try Bench(membership: TestCluster().join("a"))
        let period = CommitPeriod()
        try await bench.running {
            try await eventually("the queues are read") { bench.dispatcher.lanes.isCaughtUp }
            bench.store.set { hooks in
                hooks.beforeQuery = { query in
                    guard query.projection == nil, "\(query)".contains("collapseKey") else { return }
                    queries.add()
                }
            }
            /// Returns the number of queries for older messages.
            func queriesOfMessage(in period: CommitPeriod?) async throws -> Int {
                let before = queries.count
                var next = draft("next")
                next.mark = period.map { DocumentCache.Mark(period: $0) { true } }
                try await bench.settled(try await bench.outbox.accept(next, to: [target()]))
                return queries.count - before
            }
            #expect(try await queriesOfMessage(in: period) == 1)
            bench.dispatcher.noteAlone(in: period)
            #expect(try await queriesOfMessage(in: period) == 0)
            #expect(try await queriesOfMessage(in: period.next) == 1)
            #expect(try await queriesOfMessage(in: nil) == 1)
            bench.dispatcher.noteAlone(in: nil)
            #expect(try await queriesOfMessage(in: period) == 1)
        }
    }

    @Test("A message of a period replaces one that waits on disk for its retry, also one from before the start")
    func waitingAlone() async throws {
        let weather = Weather(.busy)
        let membership = TestCluster().join("a")
        let first = try Bench(Self.transport(weather), membership: membership)
        let old = try await first.outbox.accept(draft("old"), to: [target()])
        try await first.running { try await failed(old, on: first) }
        weather.turn(nil)
        let bench = try Bench(Self.transport(weather), on: first, membership: membership)
        bench.dispatcher.noteAlone(in: CommitPeriod())
        try await bench.running {
            try await eventually("the queues are read") { bench.dispatcher.lanes.isCaughtUp }
            var new = draft("new")
            new.mark = DocumentCache.Mark(period: CommitPeriod()) { true }
            bench.clock.advance(by: .microseconds(1))
            let delivery = try await bench.outbox.accept(new, to: [target()])
            try await settled([old, delivery], on: bench)
        }
        #expect(try await state(old, on: bench) == [.superseded])
        #expect(bench.transport.bodies == ["new"])
    }

    @Test("A message whose commit is applied although it has failed is not sent after a newer one")
    func unknownOutcome() async throws {
        let bench = try Bench(membership: TestCluster().join("a"))
        bench.dispatcher.noteAlone(in: CommitPeriod())
        try await bench.running {
            try await eventually("the queues are read") { bench.dispatcher.lanes.isCaughtUp }
            let (disk, failures) = (bench.disk.documents, Tally())
            bench.store.set { hooks in
                hooks.beforeCommit = { writes throws(StoreError) in
                    guard failures.count == 0 else { return }
                    failures.add()
                    _ = try await disk.commit(writes)
                    throw StoreError(.unavailable, "the server is gone").ofUnknownOutcome
                }
            }
            let old = try await bench.outbox.submit(draft("old"), to: [target()])
            await #expect(throws: StoreError.self) { try await old.accepted() }
            bench.clock.advance(by: .microseconds(1))
            var new = draft("new")
            new.mark = DocumentCache.Mark(period: CommitPeriod()) { true }
            let delivery = try await bench.outbox.accept(new, to: [target()])
            try await settled([old, delivery], on: bench)
        }
        let bodies = bench.transport.bodies
        #expect(bodies == ["new"] || bodies == ["old", "new"])
    }

    // MARK: Order

    @Test(
        "Messages without a collapse id arrive in the order of their acceptance after an outage",
        arguments: [LaneFailure.refused, .unreachable], [false, true])
    func inOrder(failure: LaneFailure, withRestart: Bool) async throws {
        let weather = Weather(.failed(.init(code: .serverUnavailable, reason: "Down", laneFailure: failure)))
        let bench = try Bench(Self.transport(weather))
        var deliveries: [Delivery] = []
        func recover(on bench: Bench) async throws {
            deliveries += try await accept(["6"], id: nil, on: bench)
            weather.turn(nil)
            try await settled(deliveries, on: bench)
            #expect(bench.transport.bodies.suffix(6) == ["1", "2", "3", "4", "5", "6"])
        }
        try await bench.running {
            deliveries += try await accept(["1"], id: nil, on: bench)
            try await failed(deliveries[0], on: bench)
            deliveries += try await accept(["2", "3", "4", "5"], id: nil, on: bench)
            if !withRestart { try await recover(on: bench) }
        }
        guard withRestart else { return }
        let next = try Bench(Self.transport(weather), on: bench)
        try await next.running {
            try await eventually("the lane is held up again") {
                next.log.lines.contains { $0.contains("pausing a lane") }
            }
            try await recover(on: next)
        }
    }
}

extension ScriptedTransport {
    /// The bodies of all notifications given to the transport, in order.
    fileprivate var bodies: [String] { sent.map(\.body) }
}

extension ScriptedTransport.Sent {
    fileprivate var body: String { message.message.notification?.body ?? "" }
}
