import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Events of a dispatcher", .timeLimit(.minutes(10)))
struct SettlementEventsTests {
    /// Keeps the events, and writes a document for each commit.
    private final class Recorder: DeliveryEventRecorder {
        private let state = Mutex((events: [DeliveryEvent](), commits: 0))
        let isRecording: Bool

        init(isRecording: Bool = true) { self.isRecording = isRecording }

        var events: [DeliveryEvent] { state.withLock(\.events) }
        var commits: Int { state.withLock(\.commits) }

        func writes(recording events: [DeliveryEvent]) -> [Write] {
            let number = state.withLock { state in
                state.events += events
                return state.events.count
            }
            guard let path = try? DocumentPath("events/\(number)") else { return [] }
            return [.set(path, ["count": .integer(Int64(events.count))])]
        }

        func recorded() { state.withLock { $0.commits += 1 } }

        /// The ends of all notifications, by their tokens.
        var outcomes: [String: DeliveryEvent.SettledNotification.Outcome] {
            var outcomes: [String: DeliveryEvent.SettledNotification.Outcome] = [:]
            for case .settled(_, _, let notifications) in events {
                for one in notifications { outcomes[one.target.address.token.value] = one.outcome }
            }
            return outcomes
        }

        /// The reasons for which apps are held up, and the ends of that.
        var holdUps: [String] {
            events.compactMap { event -> String? in
                switch event {
                case .heldUp(_, _, let reason): reason
                case .resumed(let lane): "\(lane) resumed"
                case .settled, .receipts, .invalidTokens, .decided: nil
                }
            }
        }
    }

    private static let gone = Outcome.rejected(
        Rejection(
            code: .registrationTokenNotRegistered, reason: "Unregistered", invalidation: .unregistered(since: nil)))

    @Test("Each end of a notification is recorded once, in the commit that stores it, with the token that is gone")
    func outcomes() async throws {
        let recorder = Recorder()
        let transport = ScriptedTransport { sent in sent.token == "b" ? Self.gone : .accepted }
        let bench = try Bench(transport, events: recorder)
        try await bench.running {
            let targets = [try await bench.register("1", token: "a"), try await bench.register("2", token: "b")]
            let delivery = try await bench.outbox.accept(.sample(), to: targets)
            try await bench.settled(delivery)
            let code = MessagingErrorCode.registrationTokenNotRegistered.rawValue
            #expect(recorder.outcomes == ["a": .accepted, "b": .rejected(code: code, reason: "Unregistered")])
            var ids: Set<NotificationID> = []
            var invalid: [Target] = []
            for event in recorder.events {
                switch event {
                case .settled(let origin, _, let notifications):
                    #expect(origin == DeliveryEvent.MessageOrigin(id: delivery.messageID, source: "test"))
                    for one in notifications { #expect(ids.insert(one.id).inserted) }
                case .invalidTokens(_, let tokens): invalid += tokens.map(\.target)
                case .receipts, .decided: Issue.record("nothing was reported")
                case .heldUp, .resumed: Issue.record("nothing was held up")
                }
            }
            #expect(ids == Set(bench.transport.sent.map(\.id)) && invalid == [targets[1]])
            let stored = try await bench.disk.documents.documents(matching: .collection(CollectionPath("events")))
            try await eventually("each commit is announced") { recorder.commits == stored.count }
        }
    }

    @Test("A failure that is retried is no event until it ends")
    func retry() async throws {
        let recorder = Recorder()
        let transport = ScriptedTransport { sent in
            sent.attempt == 1 ? .failed(Failure(code: .serverUnavailable, reason: "Busy")) : .accepted
        }
        let bench = try Bench(transport, events: recorder)
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(), to: [try await bench.register("1", token: "a")])
            try await eventually("the first attempt fails") { bench.transport.sent.count == 1 }
            #expect(recorder.outcomes.isEmpty)
            try await eventually("the second attempt settles", advancing: bench.clock, by: .seconds(10)) {
                try await bench.isSettled(delivery.messageID)
            }
            #expect(recorder.outcomes == ["a": .accepted])
        }
    }

    @Test("An app that is held up is reported once, however often it fails, and once more when it sends again")
    func holdUp() async throws {
        let recorder = Recorder()
        let transport = ScriptedTransport { sent in
            sent.attempt <= 3
                ? .failed(Failure(code: .thirdPartyAuthError, reason: "InvalidProviderToken", laneFailure: .refused))
                : .accepted
        }
        let bench = try Bench(transport, events: recorder)
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(), to: [try await bench.register("1", token: "a")])
            try await eventually("the lane works again", advancing: bench.clock, by: .seconds(30)) {
                try await bench.isSettled(delivery.messageID)
            }
            #expect(recorder.holdUps == ["InvalidProviderToken", "fcm resumed"])
            for case .heldUp(_, let failure, _) in recorder.events { #expect(failure == .refused) }
        }
    }

    private static func refused(_ sent: ScriptedTransport.Sent) -> Outcome {
        .failed(Failure(code: .thirdPartyAuthError, reason: "InvalidProviderToken", laneFailure: .refused))
    }

    private func reports(_ bench: Bench) async throws -> [Document] {
        try await bench.disk.documents.documents(matching: .collection(CollectionPath(ReportedHoldUps.collection)))
    }

    @Test("An app that was reported as held up is not reported again after a restart, but when it sends again")
    func restart() async throws {
        let before = Recorder()
        let bench = try Bench(ScriptedTransport(Self.refused), events: before)
        var messageID = ""
        try await bench.running {
            messageID = try await bench.outbox.accept(.sample(), to: [try await bench.register("1", token: "a")])
                .messageID
            try await eventually("the report is stored") { try await reports(bench).count == 1 }
        }
        #expect(before.holdUps == ["InvalidProviderToken"])
        let after = Recorder()
        let next = try Bench(
            ScriptedTransport { $0.attempt <= 2 ? Self.refused($0) : .accepted }, on: bench, events: after)
        try await next.running {
            try await eventually("the lane works again", advancing: next.clock, by: .seconds(30)) {
                try await next.isSettled(messageID)
            }
        }
        #expect(next.transport.sent.count == 3 && after.holdUps == ["fcm resumed"])
        #expect(try await reports(next).isEmpty)
    }

    @Test("A gateway reports the end for another one only if that is gone")
    func others() async throws {
        let cluster = TestCluster()
        let (first, second) = (cluster.join("a"), cluster.join("b"))
        let bench = try Bench(ScriptedTransport(Self.refused), membership: first, events: Recorder())
        try await bench.running {
            _ = try await bench.outbox.accept(.sample(), to: [try await bench.register("1", token: "a")])
            try await eventually("the report is stored") { try await reports(bench).count == 1 }
        }
        for isGone in [false, true] {
            if isGone { cluster.remove("a") }
            let recorder = Recorder()
            let other = try Bench(on: bench, membership: second, events: recorder)
            try await other.running {
                let delivery = try await other.outbox.accept(.sample(), to: [try await other.register("2", token: "b")])
                try await other.settled(delivery)
            }
            #expect(recorder.holdUps == (isGone ? ["fcm resumed"] : []))
            #expect(try await reports(other).count == (isGone ? 0 : 1))
        }
    }

    @Test("An app whose environments are held up is reported once, and once more when the last of them sends again")
    func environments() async throws {
        let recorder = Recorder()
        let working = Mutex<Set<String>>([])
        let transport = ScriptedTransport { sent in
            working.withLock { $0.contains(sent.token) } ? .accepted : .laneRefused
        }
        let bench = try Bench(transport, events: recorder)
        try await bench.running {
            var deliveries: [Delivery] = []
            for environment in ["sandbox", "production"] {
                let app = AppIdentity(bundleID: "app", environment: environment)
                let target = Target(address: PushAddress(token: environment, app: app), registration: nil)
                deliveries.append(try await bench.outbox.accept(.sample(), to: [target]))
            }
            try await eventually("both lanes are held up") {
                bench.dispatcher.heldApps.first?.resolvedLanes.count == 2 && !recorder.holdUps.isEmpty
            }
            #expect(bench.dispatcher.heldApps.count == 1)
            _ = working.withLock { $0.insert("sandbox") }
            try await eventually("one lane works again", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(deliveries[0].messageID)
            }
            #expect(recorder.holdUps == ["Refused"])
            _ = working.withLock { $0.insert("production") }
            try await eventually("both lanes work again", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(deliveries[1].messageID)
            }
            #expect(recorder.holdUps == ["Refused", "fcm/app resumed"])
        }
    }

    @Test(
        "Notifications that are never sent are recorded too, each in the commit that stores its end, after a failure too",
        arguments: [true, false])
    func unsent(areReplaced: Bool) async throws {
        let (recorder, first) = (Recorder(), try Bench())
        try await first.putOnDisk(60, areReplaced: areReplaced)
        first.clock.advance(by: .seconds(areReplaced ? 1 : 60))
        let bench = try Bench(on: first, events: recorder)
        let commits = Mutex<[[DocumentPath]]>([])
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == "events" }) else { return }
                let isFirst = commits.withLock { commits in
                    commits.append(writes.map(\.path))
                    return commits.count == 1
                }
                if isFirst { throw StoreError(.unavailable, "not now") }
            }
        }
        let messages = try CollectionPath(OutboxDocuments.messages)
        try await bench.running {
            try await eventually("all settle", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.disk.documents.documents(matching: .collection(messages))
                    .allSatisfy { $0["settledAt"] != nil }
            }
        }
        var ends: [NotificationID: DeliveryEvent.SettledNotification.Outcome] = [:]
        for case .settled(_, _, let notifications) in recorder.events {
            for one in notifications { ends[one.id] = one.outcome }
        }
        let expired = MessagingErrorCode.serverUnavailable.rawValue
        let end: DeliveryEvent.SettledNotification.Outcome =
            areReplaced ? .superseded : .rejected(code: expired, reason: "Expired")
        #expect(ends.count == 60 && bench.transport.sent.isEmpty)
        #expect(Set(ends.values) == [end])
        for paths in commits.withLock(\.self) {
            #expect(paths.count { $0.collection.id == "events" } == paths.count { $0.isIn(messages) })
        }
        #expect(try await bench.disk.documents.count(.collection(try CollectionPath("events"))) == 60)
    }

    @Test("Without anybody who wants events, nothing is made or written for them")
    func off() async throws {
        let recorder = Recorder(isRecording: false)
        let bench = try Bench(ScriptedTransport { _ in Self.gone }, events: recorder)
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(), to: [try await bench.register("1", token: "a")])
            try await bench.settled(delivery)
            #expect(recorder.events.isEmpty && recorder.commits == 0)
        }
    }
}
