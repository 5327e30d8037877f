import DocumentStore
import Synchronization
import TestBasics
import TestDoubles
import Testing

@testable import Messaging

@Suite("Messages that are sent later", .timeLimit(.minutes(10)))
struct ScheduledMessagesTests {
    // MARK: Time

    @Test("A message is sent when it is due, not before, and its lifetime counts from then")
    func due() async throws {
        let stage = try ScheduleBench()
        let start = stage.bench.clock.timestamp
        try await stage.running {
            let id = try await stage.schedule(Draft.later("later"), to: .phone, after: .seconds(1_200))
            stage.bench.clock.advance(by: .seconds(1_199))
            let now = try await stage.bench.outbox.accept(Draft.later("now", id: nil), to: [.phone])
            try await stage.bench.settled(now)
            #expect(stage.bodies == ["now"])
            #expect(try await stage.isWaiting(id))
            let message = try #require(try await stage.entered(id))
            let document = try await stage.bench.chunk(message)
            let (accepted, expiry) = (document["acceptedAt"]?.timestamp, document["expiresAt"]?.timestamp)
            #expect(try #require(accepted) >= start.adding(.seconds(1_200)))
            #expect(expiry == start.adding(.seconds(1_200 + 3_600)))
        }
        #expect(stage.bodies == ["now", "later"])
    }

    @Test("A clock that is set forward makes a message due, and one that is set back does not send it again")
    func movedClock() async throws {
        let stage = try ScheduleBench()
        try await stage.running {
            let id = try await stage.schedule(Draft.later("later"), to: .phone, after: .seconds(7_200))
            stage.bench.clock.advance(by: .seconds(7_200))
            _ = try await stage.entered(id)
            try await eventually("it is sent") { stage.bench.transport.sent.count == 1 }
            stage.bench.clock.advance(by: .seconds(-7_200))
            let other = try await stage.schedule(Draft.later("other"), to: .phone, after: .seconds(1))
            _ = try await stage.entered(other)
            try await eventually("it is sent") { stage.bench.transport.sent.count == 2 }
        }
        #expect(stage.bodies == ["later", "other"])
    }

    @Test("A message whose time came while no gateway ran is sent at the start, unless it has expired")
    func restart() async throws {
        let stage = try ScheduleBench()
        let late = try await stage.schedule(Draft.later("late", id: "a"), to: .phone, after: .seconds(60))
        let expired = try await stage.schedule(
            Draft.later("expired", id: "b", lifetime: .seconds(600)), to: .phone, after: .seconds(61))
        stage.bench.clock.advance(by: .seconds(661))
        let next = try ScheduleBench(on: stage)
        try await next.running {
            _ = try await next.entered(late)
            let message = try #require(try await next.entered(expired))
            try await eventually("it is given up") { try await next.bench.isSettled(message) }
            #expect(try await next.bench.chunk(message).targetStates == ["rejected"])
        }
        #expect(next.bodies == ["late"])
    }

    // MARK: Order

    @Test("Before it is due a message neither replaces another nor is replaced; then it is the newest")
    func order() async throws {
        let isDown = Mutex(true)
        let stage = try ScheduleBench(ScriptedTransport { _ in isDown.withLock(\.self) ? .busy : .accepted })
        try await stage.running {
            let id = try await stage.schedule(Draft.later("later"), to: .phone, after: .seconds(60))
            let now = try await stage.bench.outbox.accept(Draft.later("now"), to: [.phone])
            try await eventually("the failure is stored") {
                try await stage.bench.chunk(now.messageID).targets.contains { $0["failures"] != nil }
            }
            #expect(try await stage.bench.chunk(now.messageID)["superseded"] == nil)
            #expect(try await stage.isWaiting(id))
            stage.bench.clock.advance(by: .seconds(60))
            let message = try #require(try await stage.entered(id))
            // Its first attempt is after the last one of the other, which may have been in flight.
            try await eventually("it fails too", advancing: stage.bench.clock, by: .milliseconds(100)) {
                try await stage.bench.chunk(message).targets.contains { $0["failures"] != nil }
            }
            isDown.withLock { $0 = false }
            try await eventually("both settle", advancing: stage.bench.clock, by: .seconds(1)) {
                let isNowSettled = try await stage.bench.isSettled(now.messageID)
                return try await stage.bench.isSettled(message) && isNowSettled
            }
            #expect(try await stage.bench.chunk(now.messageID).targetStates == ["superseded"])
            #expect(try await stage.bench.chunk(message).targetStates == ["accepted"])
        }
    }

    @Test("A message that has expired when it is accepted does not replace one that waits")
    func expiredReplacesNothing() async throws {
        let isDown = Mutex(true)
        let stage = try ScheduleBench(ScriptedTransport { _ in isDown.withLock(\.self) ? .busy : .accepted })
        try await stage.running {
            let draft = Draft.later("later", lifetime: .seconds(10))
            let id = try await stage.schedule(draft, to: .phone, after: .seconds(60))
            let now = try await stage.bench.outbox.accept(Draft.later("now"), to: [.phone])
            stage.bench.clock.advance(by: .seconds(100))
            let message = try #require(try await stage.entered(id))
            isDown.withLock { $0 = false }
            try await eventually("both settle", advancing: stage.bench.clock, by: .seconds(1)) {
                let isNowSettled = try await stage.bench.isSettled(now.messageID)
                return try await stage.bench.isSettled(message) && isNowSettled
            }
            #expect(try await stage.bench.chunk(message).targetStates == ["rejected"])
            #expect(try await stage.bench.chunk(now.messageID).targetStates == ["accepted"])
        }
        #expect(stage.bodies.allSatisfy { $0 == "now" })
    }

    // MARK: Recipients

    @Test("A registration is read when the message is due: its new token gets it, and a removed one nothing")
    func registrations() async throws {
        let stage = try ScheduleBench()
        let kept = try await stage.bench.register("kept", token: "old")
        let gone = try await stage.bench.register("gone", token: "gone")
        try await stage.running {
            let ids = [
                try await stage.schedule(Draft.later("kept"), to: kept, after: .seconds(60)),
                try await stage.schedule(Draft.later("gone"), to: gone, after: .seconds(60)),
            ]
            for id in ids {
                let document = try await stage.documents.document(at: ScheduledMessage.path(of: id))
                #expect(document?["targets"]?.array?.first?.map?["token"] == nil)
            }
            _ = try await stage.bench.register("kept", token: "new")
            _ = try await stage.documents.commit([.delete(try #require(gone.registration))])
            stage.bench.clock.advance(by: .seconds(60))
            #expect(try await stage.entered(ids[0]) != nil)
            #expect(try await stage.entered(ids[1]) == nil)
            try await eventually("it is sent") { !stage.bench.transport.sent.isEmpty }
        }
        #expect(stage.bench.transport.tokens == ["new"])
    }

    @Test("A message to a condition is cut when it is due")
    func condition() async throws {
        let stage = try ScheduleBench()
        try await stage.running {
            let id = try await stage.scheduled.schedule(
                Draft.later("topic"), to: .condition(Condition(topic: "news")),
                at: stage.bench.clock.timestamp.adding(.seconds(5)))
            #expect(try await stage.documents.count(.collection(CollectionPath(Broadcast.collection))) == 0)
            stage.bench.clock.advance(by: .seconds(5))
            let message = try #require(try await stage.entered(id))
            try await eventually("it has no recipients") { try await stage.bench.isSettled(message) }
        }
    }

    // MARK: Cancellation and crashes

    @Test("A cancelled message is never sent, and one that was accepted cannot be cancelled")
    func cancel() async throws {
        let stage = try ScheduleBench()
        try await stage.running {
            let cancelled = try await stage.schedule(Draft.later("cancelled"), to: .phone, after: .seconds(60))
            let sent = try await stage.schedule(Draft.later("sent"), to: .phone, after: .seconds(61))
            #expect(try await stage.scheduled.cancel(cancelled) == .cancelled)
            #expect(try await stage.scheduled.cancel(cancelled) == .unknown)
            stage.bench.clock.advance(by: .seconds(61))
            let message = try await stage.entered(sent)
            #expect(try await stage.scheduled.cancel(sent) == .tooLate(message))
            try await eventually("it is sent") { !stage.bench.transport.sent.isEmpty }
        }
        #expect(stage.bodies == ["sent"])
    }

    @Test("Of a cancellation and an acceptance at the same moment exactly one happens", arguments: [true, false])
    func race(isCancelledFirst: Bool) async throws {
        let stage = try ScheduleBench()
        let isDone = Mutex(false)
        let result = Mutex<ScheduledMessages.Cancellation?>(nil)
        let id = try await stage.schedule(Draft.later("x"), to: .phone, after: .seconds(60))
        stage.bench.store.set { [scheduled = stage.scheduled] hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                // A cancellation deletes one document, and an acceptance writes several.
                guard writes.count > 1, isCancelledFirst else { return }
                let isFirst = isDone.withLock { isDone in
                    defer { isDone = true }
                    return !isDone
                }
                guard isFirst else { return }
                let cancellation = try await scheduled.cancel(id)
                result.withLock { $0 = cancellation }
            }
        }
        try await stage.running {
            stage.bench.clock.advance(by: .seconds(60))
            if isCancelledFirst {
                try await eventually("it is cancelled", advancing: stage.bench.clock, by: .seconds(1)) {
                    result.withLock(\.self) != nil
                }
                #expect(result.withLock(\.self) == .cancelled)
                #expect(try await stage.scheduled.state(of: id) == nil)
                let next = try await stage.bench.outbox.accept(Draft.later("next"), to: [.phone])
                try await stage.bench.settled(next)
            } else {
                let message = try await stage.entered(id)
                #expect(try await stage.scheduled.cancel(id) == .tooLate(message))
                try await eventually("it is sent") { !stage.bench.transport.sent.isEmpty }
            }
        }
        #expect(stage.bodies == [isCancelledFirst ? "next" : "x"])
    }

    @Test("A failed commit accepts nothing, and the message is accepted once after that")
    func crash() async throws {
        let stage = try ScheduleBench()
        let failures = Mutex(0)
        let id = try await stage.schedule(Draft.later("x"), to: .phone, after: .seconds(60))
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == ScheduledMessage.collection }) else { return }
                let count = failures.withLock { failures in
                    failures += 1
                    return failures
                }
                if count <= 3 { throw .diskFull }
            }
        }
        stage.bench.clock.advance(by: .seconds(60))
        try await stage.running {
            try await eventually("it is sent", advancing: stage.bench.clock, by: .seconds(1)) {
                !stage.bench.transport.sent.isEmpty
            }
            #expect(failures.withLock(\.self) == 4)
            _ = try await stage.entered(id)
        }
        #expect(stage.bodies == ["x"])
        #expect(try await stage.documents.count(.collection(CollectionPath("messages"))) == 1)
    }

    @Test("A full disk ends the turn at the first message, however many are due, and none is lost")
    func fullDisk() async throws {
        let stage = try ScheduleBench()
        for number in 0..<20 {
            _ = try await stage.schedule(Draft.later("\(number)", id: nil), to: .phone, after: .seconds(60))
        }
        let attempts = Mutex(0)
        let isFull = Mutex(true)
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == ScheduledMessage.collection }) else { return }
                attempts.withLock { $0 += 1 }
                if isFull.withLock(\.self) { throw .diskFull }
            }
        }
        stage.bench.clock.advance(by: .seconds(60))
        try await stage.running {
            for turn in 1...3 {
                try await eventually("turn \(turn) waits") {
                    attempts.withLock(\.self) == turn && stage.bench.clock.pendingSleeps.contains(.seconds(5))
                }
                if turn == 3 { isFull.withLock { $0 = false } }
                stage.bench.clock.advance(by: .seconds(5))
            }
            try await eventually("all are sent", advancing: stage.bench.clock, by: .milliseconds(100)) {
                stage.bench.transport.sent.count == 20
            }
        }
        #expect(attempts.withLock(\.self) == 23 && Set(stage.bodies) == Set((0..<20).map(String.init)))
    }

    @Test("Two gateways that find the same message due send it once")
    func twoGateways() async throws {
        let cluster = TestCluster()
        let one = try ScheduleBench(membership: cluster.join("one"))
        let two = try ScheduleBench(on: one, membership: cluster.join("two"))
        let id = try await one.schedule(Draft.later("x"), to: .phone, after: .seconds(60))
        one.bench.clock.advance(by: .seconds(60))
        try await one.running {
            try await two.running {
                let message = try #require(try await one.entered(id))
                try await eventually("it is sent") { try await one.bench.isSettled(message) }
                // A turn of each follows.
                one.bench.clock.advance(by: .seconds(2))
                let last = try await two.bench.outbox.accept(Draft.later("last", id: nil), to: [.phone])
                try await two.bench.settled(last)
            }
        }
        #expect((one.bodies + two.bodies).sorted() == ["last", "x"])
    }

    @Test("A message that another program has damaged does not hold up the others")
    func damaged() async throws {
        let stage = try ScheduleBench()
        _ = try await stage.documents.commit([
            .create(
                ScheduledMessage.path(of: "bad"),
                [ScheduledMessage.deliverAt: .timestamp(stage.bench.clock.timestamp)])
        ])
        try await stage.running {
            let id = try await stage.schedule(Draft.later("good"), to: .phone, after: .zero)
            #expect(try await stage.entered(id) != nil)
            try await eventually("it is sent") { !stage.bench.transport.sent.isEmpty }
            #expect(try await stage.scheduled.waiting(limit: 10).isEmpty)
        }
        #expect(stage.bench.log.lines.contains { $0.contains("unreadable document") })
    }

    @Test("Messages that are due together are listed page by page, each of them once")
    func pages() async throws {
        let stage = try ScheduleBench()
        var ids: Set<String> = []
        for number in 0..<5 {
            ids.insert(try await stage.schedule(Draft.later("\(number)"), to: .phone, after: .seconds(60)))
        }
        let last = try await stage.schedule(Draft.later("last"), to: .phone, after: .seconds(61))
        var listed: [ScheduledMessage] = []
        while true {
            let page = try await stage.scheduled.waiting(
                after: listed.last?.deliverAt ?? .distantPast, listed.last?.id, limit: 2)
            guard !page.isEmpty else { break }
            listed += page
        }
        #expect(listed.count == 6 && Set(listed.map(\.id)) == ids.union([last]) && listed.last?.id == last)
    }

    @Test("The messages that wait for a registration are counted, without those to others and to conditions")
    func byRegistration() async throws {
        let stage = try ScheduleBench()
        let one = try await stage.bench.register("one", token: "1")
        let two = try await stage.bench.register("two", token: "2")
        let paths = [one, two].compactMap(\.registration)
        let start = stage.bench.clock.timestamp
        for delay in [60, 50, 70] { _ = try await stage.schedule(.later("x"), to: one, after: .seconds(delay)) }
        _ = try await stage.schedule(.later("x"), to: .phone, after: .seconds(10))
        _ = try await stage.scheduled.schedule(.later("x"), to: .condition(Condition(topic: "news")), at: start)
        let waiting = try await stage.scheduled.waiting(for: Set(paths))
        #expect(waiting[paths[0]] == .init(count: 3, first: start.adding(.seconds(50))))
        #expect(waiting[paths[1]] == nil && waiting.isComplete)
        #expect(try await stage.scheduled.waiting(for: [paths[1]])[paths[0]] == nil)
    }

    @Test("What remains of an accepted message is forgotten with the message")
    func cleanUp() async throws {
        let stage = try ScheduleBench()
        try await stage.running {
            let id = try await stage.schedule(Draft.later("x"), to: .phone, after: .zero)
            let message = try #require(try await stage.entered(id))
            stage.bench.clock.advance(by: .seconds(10))
            let now = stage.bench.clock.timestamp
            try await stage.scheduled.sweep(enteredBefore: now)
            #expect(try await stage.scheduled.state(of: id) != nil)
            try await eventually("it settles") { try await stage.bench.isSettled(message) }
            _ = try await stage.documents.commit([.delete(DocumentPath("messages/\(message)"))])
            try await stage.scheduled.sweep(enteredBefore: now.adding(.seconds(-60)))
            #expect(try await stage.scheduled.state(of: id) != nil)
            try await stage.scheduled.sweep(enteredBefore: now)
            #expect(try await stage.scheduled.state(of: id) == nil)
        }
    }

    @Test("The stored form keeps the whole message")
    func storedForm() async throws {
        let stage = try ScheduleBench()
        var draft = Draft.later("x", lifetime: nil)
        draft.badge = BadgeCounter("count", in: try DocumentPath("badges/one"))
        draft.withdrawnIDs = ["a", "b"]
        draft.senderID = "12345"
        let address = PushAddress(
            transport: .apns, token: RegistrationToken("aa"),
            attributes: AddressAttributes(
                app: AppIdentity(bundleID: "com.example", environment: "sandbox"), secrets: ["auth": "s"]))
        let id = try await stage.schedule(draft, to: Target(address: address, registration: nil), after: .seconds(5))
        let message = try #require(try await stage.scheduled.waiting(limit: 1).first)
        #expect(message.id == id && message.draft.message.jsonText == draft.message.jsonText)
        #expect(message.draft.badge == draft.badge && message.draft.withdrawnIDs == draft.withdrawnIDs)
        #expect(message.draft.senderID == "12345" && message.draft.lifetime == nil && message.draft.owner == "test")
        guard case .targets(let recipients) = message.recipients else {
            Issue.record("the recipients have become a condition")
            return
        }
        #expect(recipients == [.address(address)])
    }
}
