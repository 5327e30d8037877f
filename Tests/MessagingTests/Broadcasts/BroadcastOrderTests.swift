import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("A message to a topic, and newer messages to its devices")
struct BroadcastOrderTests {
    private func draft(_ body: String) -> Draft {
        Draft(
            message: Message(
                notification: .init(body: body), apns: .init(headers: ["apns-collapse-id": "chat"])),
            lifetime: .seconds(86_400), source: "test", registrationFields: RegistrationResolver.registrationFields)
    }

    /// Returns a stage with a topic, and its devices.
    private func stage(_ transport: ScriptedTransport) async throws -> (stage: TopicBench, devices: [Registration]) {
        let stage = try TopicBench(transport)
        let devices = try await stage.devices(30)
        try await stage.subscriptions.subscribe(devices, to: "news")
        return (stage, devices)
    }

    private func accept(_ body: String, to topic: String = "news", on stage: TopicBench) async throws -> String {
        try await stage.broadcaster.accept(draft(body), to: try Condition(topic: topic))
    }

    /// Calls a function before the next commit with a write that matches, and only then.
    private func beforeNextCommit(
        on bench: Bench, where isMatch: @escaping @Sendable (Write) -> Bool,
        _ body: @escaping @Sendable () async -> Void
    ) {
        let isDue = Mutex(true)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes in
                guard writes.contains(where: isMatch) else { return }
                let isNext = isDue.withLock { isDue in
                    defer { isDue = false }
                    return isDue
                }
                if isNext { await body() }
            }
        }
    }

    /// Returns the bodies that were sent to a device, in order.
    private func bodies(_ device: Registration, on stage: TopicBench) -> [String] {
        stage.bench.transport.sent.filter { $0.target.address == device.address }
            .map { $0.message.message.notification?.body ?? "" }
    }

    /// Expects a message to have been replaced for the first of its 30 devices only.
    private func expectReplaced(_ id: String, on stage: TopicBench) async throws {
        let record = try await DeliveryHistory(store: stage.bench.disk.documents).delivery(of: id)
        let states = try #require(record).notifications.map(\.state)
        #expect(states.count == 30)
        #expect(states.filter { $0 == .superseded }.count == 1)
        #expect(states.filter { $0 == .accepted }.count == 29)
    }

    @Test("It is not sent to a device that got a newer one before the page was cut")
    func afterNewerWasSent() async throws {
        let (stage, devices) = try await stage(ScriptedTransport())
        try await stage.bench.running {
            let topic = try await accept("old", on: stage)
            let newer = try await stage.bench.outbox.accept(draft("new"), to: [try devices[0].target])
            try await stage.bench.settled(newer)
            try await stage.broadcaster.running { try await stage.ended(topic) }
            try await expectReplaced(topic, on: stage)
        }
        #expect(bodies(devices[0], on: stage) == ["new"])
        for device in devices.dropFirst() { #expect(bodies(device, on: stage) == ["old"]) }
    }

    @Test("It is not sent to a device that got a newer one while the page was being stored")
    func whilePageIsStored() async throws {
        let (stage, devices) = try await stage(ScriptedTransport())
        let (bench, draft, target) = (stage.bench, draft("new"), try devices[0].target)
        try await bench.running {
            let topic = try await accept("old", on: stage)
            beforeNextCommit(on: bench, where: { $0.isOfBroadcast }) {
                guard let newer = try? await bench.outbox.accept(draft, to: [target]) else { return }
                try? await bench.settled(newer)
            }
            try await stage.broadcaster.running { try await stage.ended(topic) }
            try await expectReplaced(topic, on: stage)
        }
        #expect(bodies(devices[0], on: stage) == ["new"])
    }

    @Test("It is not sent to a device that got a newer one after a restart, while another message was being cut")
    func afterRestart() async throws {
        let (first, devices) = try await stage(ScriptedTransport())
        _ = try await first.broadcaster.accept(.sample(), to: try Condition(topic: "other"))
        let topic = try await accept("old", on: first)
        first.bench.clock.advance(by: .seconds(1))
        let (next, gate) = (try TopicBench(on: first), Gate())
        defer { gate.open() }
        beforeNextCommit(on: next.bench, where: { $0.isOfBroadcast }) { await gate.pass() }
        try await next.running {
            try await eventually("the other message is being cut") { gate.waiting == 1 }
            let newer = try await next.bench.outbox.accept(draft("new"), to: [try devices[0].target])
            try await next.bench.settled(newer)
            gate.open()
            try await next.ended(topic)
            try await expectReplaced(topic, on: next)
        }
        #expect(bodies(devices[0], on: next) == ["new"])
    }

    @Test("A page that is stored between a newer message's look for older ones and its commit is replaced too")
    func betweenLookAndCommit() async throws {
        let isRefused = Mutex(true)
        let (stage, devices) = try await stage(
            ScriptedTransport { _ in isRefused.withLock(\.self) ? .laneRefused : .accepted })
        let (bench, draft, gate) = (stage.bench, draft("new"), Gate())
        let targets = try devices.map { try $0.target }
        defer { gate.open() }
        try await bench.running {
            let topic = try await accept("old", on: stage)
            // The page is before it in the queue, and so is tried first when the lane works again.
            bench.clock.advance(by: .milliseconds(1))
            let other = try await bench.outbox.accept(.sample(), to: [targets[0]])
            try await eventually("the lane is held up") {
                let hasFailed = try await bench.chunk(other.messageID).targets.contains { $0["failures"] != nil }
                return hasFailed && !bench.dispatcher.pausedLanes.isEmpty
            }
            beforeNextCommit(on: bench, where: { $0.isOfChunk }) { await gate.pass() }
            async let newer = bench.outbox.accept(draft, to: targets)
            try await eventually("the newer one is about to be stored") { gate.waiting == 1 }
            try await stage.broadcaster.running {
                try await eventually("the page is cut") { try await !bench.chunks(of: topic).isEmpty }
            }
            gate.open()
            let id = try await newer.messageID
            try await eventually("the page is marked, and settled after that") {
                guard let page = try await bench.chunks(of: topic).first else { return false }
                return page[OutboxDocuments.superseded] != nil || page[OutboxDocuments.settledAt] != nil
            }
            isRefused.withLock { $0 = false }
            try await eventually("both settle", advancing: bench.clock, by: .milliseconds(100)) {
                let areSettled = [try await bench.isSettled(id), try await bench.isSettled(topic)]
                return areSettled == [true, true]
            }
            let record = try await DeliveryHistory(store: bench.disk.documents).delivery(of: topic)
            let states = try #require(record).notifications.map(\.state)
            #expect(states.count == 30 && states.allSatisfy { $0 == .superseded })
        }
        for device in devices {
            let bodies = bodies(device, on: stage)
            #expect(bodies.contains("new") && !bodies.contains("old"))
        }
    }

    @Test("It does not replace a newer one that waits for its lane, and is replaced by it")
    func whileNewerWaits() async throws {
        let isRefused = Mutex(true)
        let (stage, devices) = try await stage(
            ScriptedTransport { _ in isRefused.withLock(\.self) ? .laneRefused : .accepted })
        try await stage.bench.running {
            let topic = try await accept("old", on: stage)
            let newer = try await stage.bench.outbox.accept(draft("new"), to: [try devices[0].target])
            try await eventually("the lane is held up") { !stage.bench.dispatcher.pausedLanes.isEmpty }
            try await stage.broadcaster.running {
                try await eventually("the page is cut") { try await !stage.bench.chunks(of: topic).isEmpty }
                isRefused.withLock { $0 = false }
                try await eventually("both settle", advancing: stage.bench.clock, by: .milliseconds(100)) {
                    let areSettled = [
                        try await stage.bench.isSettled(newer.messageID), try await stage.bench.isSettled(topic),
                    ]
                    return areSettled == [true, true]
                }
            }
            try await expectReplaced(topic, on: stage)
        }
        #expect(!bodies(devices[0], on: stage).contains("old"))
        #expect(bodies(devices[0], on: stage).last == "new")
        for device in devices.dropFirst() { #expect(bodies(device, on: stage).last == "old") }
    }

    @Test("It still replaces older messages, also if a newer one was accepted for another device")
    func older() async throws {
        let isBusy = Mutex(true)
        let (stage, devices) = try await stage(
            ScriptedTransport { _ in isBusy.withLock(\.self) ? .busy : .accepted })
        try await stage.bench.running {
            let older = try await stage.bench.outbox.accept(draft("oldest"), to: [try devices[1].target])
            try await eventually("the failure is stored") {
                try await stage.bench.chunk(older.messageID).targets.contains { $0["failures"] != nil }
            }
            isBusy.withLock { $0 = false }
            let topic = try await accept("old", on: stage)
            let newer = try await stage.bench.outbox.accept(draft("new"), to: [try devices[0].target])
            try await stage.bench.settled(newer)
            try await stage.broadcaster.running {
                try await eventually("the page is cut") { try await !stage.bench.chunks(of: topic).isEmpty }
                try await eventually("all settle", advancing: stage.bench.clock, by: .milliseconds(100)) {
                    let areSettled = [
                        try await stage.bench.isSettled(older.messageID), try await stage.bench.isSettled(topic),
                    ]
                    return areSettled == [true, true]
                }
            }
            try await expectReplaced(topic, on: stage)
            let record = try await DeliveryHistory(store: stage.bench.disk.documents).delivery(of: older.messageID)
            #expect(record?.notifications.map(\.state) == [.superseded])
        }
        #expect(bodies(devices[1], on: stage) == ["oldest", "old"])
    }

    @Test("Of two messages to topics the newer one is the last at a device that only a later page of the older one has")
    func twoTopicMessages() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(501)
        try await stage.subscriptions.subscribe(devices, to: "news")
        // Pages are in the order of installation ids.
        let last = try #require(devices.max { $0.fid < $1.fid })
        try await stage.subscriptions.subscribe([last], to: "small")
        try await stage.bench.running {
            let older = try await accept("old", on: stage)
            let newer = try await accept("new", to: "small", on: stage)
            let pages = stage.failPages(after: 2)
            try await stage.broadcaster.running {
                try await stage.ended(newer)
                try await eventually("the second page of the older one is not stored") { pages() > 2 }
                stage.bench.store.set { hooks in hooks.beforeCommit = { _ in } }
                try await eventually("it is cut", advancing: stage.bench.clock, by: .milliseconds(100)) {
                    try await stage.bench.disk.documents.document(at: Broadcast.path(of: older)) == nil
                }
                try await stage.ended(older)
            }
        }
        #expect(bodies(last, on: stage) == ["new"])
        #expect(stage.bench.transport.sent.count == 501)
    }
}

extension Write {
    fileprivate var isOfBroadcast: Bool { path.collection.id == Broadcast.collection }
}
