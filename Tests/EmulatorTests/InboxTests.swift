import DocumentStore
import JSON
import Synchronization
import TestDoubles
import Testing

@testable import Emulator
@testable import Messaging

@Suite("The inbox of emulated devices")
struct InboxTests {
    private let clock = ManualClock()

    private func put(
        _ inbox: Inbox, _ number: Int, registration: String = "phone", collapseID: String = "c"
    ) throws {
        var message = Message.sample(body: "\(number)")
        message.apns?.headers["apns-collapse-id"] = collapseID
        let target = Target(
            address: PushAddress(token: "emulated:\(number)"), registration: try DocumentPath("devices/\(registration)")
        )
        inbox.append(
            OutgoingMessage(message: message, lane: target.address.lane, expiration: 0), EncodedMessage(message),
            OutgoingNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: number), target: target),
            at: clock.timestamp)
    }

    @Test("The inbox keeps notifications in order, with a sequence number each")
    func order() throws {
        let inbox = Inbox()
        for number in 1...3 { try put(inbox, number) }
        let items = inbox.items()
        #expect(items.map(\.sequence) == [1, 2, 3])
        #expect(items.map(\.message.notification?.body) == ["1", "2", "3"])
        #expect(items.map(\.target.address.token.value) == ["emulated:1", "emulated:2", "emulated:3"])
        #expect(items.allSatisfy { $0.receivedAt == ManualClock.start })
        #expect(items.last?.id == NotificationID(chunk: ChunkID(message: "m", number: 0), index: 3))
    }

    @Test("The inbox filters by registration and collapse id byte for byte")
    func byteForByte() throws {
        let inbox = Inbox()
        try put(inbox, 1, registration: "é", collapseID: "x")
        try put(inbox, 2, registration: "e\u{301}", collapseID: "é")
        try put(inbox, 3, registration: "b", collapseID: "e\u{301}")
        #expect(inbox.items(matching: .init(registrationID: "é")).map(\.sequence) == [1])
        #expect(inbox.items(matching: .init(collapseID: "e\u{301}")).map(\.sequence) == [3])
    }

    @Test("The inbox filters by registration, collapse id, sequence and all of them together")
    func filter() throws {
        let inbox = Inbox()
        try put(inbox, 1, registration: "a", collapseID: "x")
        try put(inbox, 2, registration: "a", collapseID: "y")
        try put(inbox, 3, registration: "b", collapseID: "x")
        try put(inbox, 4, registration: "a", collapseID: "x")
        func sequences(_ filter: Inbox.Filter) -> [Int] { inbox.items(matching: filter).map(\.sequence) }
        #expect(sequences(.init()) == [1, 2, 3, 4])
        #expect(sequences(.init(registrationID: "a")) == [1, 2, 4])
        #expect(sequences(.init(collapseID: "x")) == [1, 3, 4])
        #expect(sequences(.init(afterSequence: 2)) == [3, 4])
        #expect(sequences(.init(registrationID: "a", collapseID: "x", afterSequence: 1)) == [4])
        #expect(sequences(.init(registrationID: "none")) == [])
    }

    @Test("The inbox finds a collapse id in any letter case of the header's name")
    func collapseIDInAnyCase() throws {
        let inbox = Inbox()
        let target = Target(address: PushAddress(token: "emulated:1"), registration: nil)
        let message = Message(apns: .init(headers: ["Apns-Collapse-Id": "x"]))
        inbox.append(
            OutgoingMessage(message: message, lane: target.address.lane, expiration: 0), EncodedMessage(message),
            OutgoingNotification(
                id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 1), target: target),
            at: clock.timestamp)
        #expect(inbox.items(matching: .init(collapseID: "x")).count == 1)
        #expect(inbox.items(matching: .init(collapseID: "X")).isEmpty)
    }

    @Test("The inbox drops the oldest notifications beyond its capacity and keeps counting")
    func capacity() throws {
        let inbox = Inbox(capacity: 3)
        for number in 1...10 { try put(inbox, number) }
        #expect(inbox.items().map(\.sequence) == [8, 9, 10])
    }

    /// The counted size of one entry of ``put(_:_:registration:collapseID:)``, accurate to a few bytes.
    private static let entryBytes = Message.sample().json.serialized.count + 1_100

    @Test("The inbox drops the oldest notifications beyond its bytes and has space again after a reset")
    func bytes() throws {
        let inbox = Inbox(maximumBytes: Self.entryBytes * 5 / 2)
        for number in 1...4 { try put(inbox, number) }
        #expect(inbox.items().map(\.sequence) == [3, 4])
        inbox.reset()
        for number in 5...6 { try put(inbox, number) }
        #expect(inbox.items().map(\.sequence) == [5, 6])
        try put(inbox, 7, collapseID: String(repeating: "c", count: Self.entryBytes * 3))
        #expect(inbox.items().isEmpty)
    }

    @Test("The inbox returns every message unchanged")
    func fidelity() throws {
        var deep: JSONValue = [1, 2.5, -0.0, 1e300, "é\u{0}\n\"", true, nil, [:], []]
        for _ in 0..<200 { deep = .array([deep]) }
        let messages = [
            Message(), Message(notification: .init()), Message(notification: .init(title: "", body: nil, image: "x")),
            Message(data: ["b": "1", "": ""], apns: .init(), android: [:], fcmOptions: ["a": nil]),
            Message(
                apns: .init(
                    headers: ["A": "b"], payload: ["aps": ["alert": "x"], "deep": deep],
                    fcmOptions: .init(analyticsLabel: "l", image: "i"), liveActivityToken: RegistrationToken("t")),
                androidV2: ["a": 1], webpush: ["notification": ["deep": deep]]),
        ]
        for message in messages { #expect(EncodedMessage(message).message == message) }
    }

    @Test("The emulated transport rejects messages as a real one does and keeps them out of the inbox")
    func rejection() async throws {
        let inbox = Inbox()
        let clock = clock
        let rejection = Rejection(code: .invalidArgument, reason: "PayloadTooLarge")
        let transport = EmulatedTransport(
            inbox: inbox, rejection: { $0.message.data.isEmpty ? nil : rejection }, now: { clock.timestamp })
        #expect(await send(Message(data: ["a": "b"]), by: transport) == .rejected(rejection))
        #expect(await send(Message(), by: transport) == .accepted)
        #expect(inbox.items().map(\.message) == [Message()])
    }

    private func send(_ message: Message, by transport: EmulatedTransport) async -> Outcome {
        let target = Target(address: PushAddress(token: "emulated:1"), registration: nil)
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0)
        return await transport.prepare(
            OutgoingMessage(message: message, lane: target.address.lane, expiration: 0)
        ).send(OutgoingNotification(id: id, target: target))
    }

    @Test("A reset empties the inbox and never reuses a sequence number")
    func reset() throws {
        let inbox = Inbox()
        for number in 1...3 { try put(inbox, number) }
        inbox.reset()
        #expect(inbox.items().isEmpty)
        try put(inbox, 4)
        #expect(inbox.items().map(\.sequence) == [4])
    }

    @Test("A wait on the inbox ends when enough notifications have arrived")
    func waitEnds() async throws {
        let inbox = Inbox()
        async let items = inbox.items(
            matching: .init(registrationID: "phone"), waitingFor: 2, atMost: .seconds(60), clock: clock)
        try await eventually("the reader waits") { clock.pendingSleeps.count == 1 }
        try put(inbox, 1)
        try put(inbox, 2, registration: "other")
        try put(inbox, 3)
        #expect(await items.map(\.sequence) == [1, 3])
        #expect(clock.pendingSleeps.isEmpty)
    }

    @Test("A wait on the inbox ends at its time limit with what has arrived")
    func waitBound() async throws {
        let inbox = Inbox()
        try put(inbox, 1)
        async let items = inbox.items(waitingFor: 2, atMost: .seconds(60), clock: clock)
        try await eventually("the reader waits") { clock.pendingSleeps == [.seconds(60)] }
        clock.advance(by: .seconds(60))
        #expect(await items.map(\.sequence) == [1])
    }

    @Test("A wait on the inbox for notifications that are there returns at once")
    func noWait() async throws {
        let inbox = Inbox()
        try put(inbox, 1)
        #expect(await inbox.items(waitingFor: 1, atMost: .seconds(60), clock: clock).count == 1)
        #expect(await inbox.items(waitingFor: 0, atMost: .seconds(60), clock: clock).count == 1)
        #expect(await inbox.items(waitingFor: 5, atMost: .zero, clock: clock).count == 1)
    }

    @Test("A wait looks at each entry of an emulator's log once, however many arrive")
    func waitLooksOnce() async throws {
        let log = EmulatorLog<Int>(capacity: 1_000, maximumBytes: .max)
        for _ in 1...500 { log.append(bytes: 1) { $0 } }
        let looks = Looks()
        async let entries = log.elements(
            where: { looks.count() && $0 > 400 }, waitingFor: 300, atMost: .seconds(60), clock: clock)
        try await eventually("the reader waits") { clock.pendingSleeps.count == 1 }
        for _ in 501...700 { log.append(bytes: 1) { $0 } }
        #expect(await entries == Array(401...700))
        // 700 by the wait, and 700 by the answer.
        #expect(looks.total == 1_400)
    }

    @Test("A wait counts the entries that an emulator's log still has", arguments: [false, true])
    func waitCountsWhatIsThere(isReset: Bool) async throws {
        let log = EmulatorLog<Int>(capacity: 3, maximumBytes: .max)
        for _ in 1...2 { log.append(bytes: 1) { $0 } }
        async let entries = log.elements(
            where: { $0 == 2 || $0 > 5 }, waitingFor: 2, atMost: .seconds(60), clock: clock)
        try await eventually("the reader waits") { clock.pendingSleeps.count == 1 }
        if isReset { log.reset() }
        // 5 drops 2, unless the reset has deleted it.
        for _ in 3...6 { log.append(bytes: 1) { $0 } }
        #expect(clock.pendingSleeps.count == 1)
        log.append(bytes: 1) { $0 }
        #expect(await entries == [6, 7])
    }

    @Test("Many readers of the inbox wait for the same notification")
    func manyReaders() async throws {
        let inbox = Inbox()
        let clock = clock
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { await inbox.items(waitingFor: 1, atMost: .seconds(60), clock: clock).count }
            }
            try await eventually("all readers wait") { clock.pendingSleeps.count == 50 }
            try put(inbox, 1)
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test("The emulated transport accepts every notification into its inbox")
    func transport() async throws {
        let inbox = Inbox()
        let clock = clock
        let transport = EmulatedTransport(inbox: inbox, now: { clock.timestamp })
        let target = Target(address: PushAddress(token: "emulated:1"), registration: nil)
        let id = NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0)
        let message = OutgoingMessage(message: .sample(), lane: target.address.lane, expiration: 0)
        let outcome = await transport.prepare(message).send(OutgoingNotification(id: id, target: target))
        #expect(outcome == .accepted)
        #expect(inbox.items().map(\.id) == [id])
        #expect(inbox.items().map(\.message) == [.sample()])
    }
}

extension Inbox {
    fileprivate func items(
        waitingFor count: Int, atMost bound: Duration, clock: any Clock<Duration>
    ) async -> [Item] {
        await items(matching: Filter(), waitingFor: count, atMost: bound, clock: clock)
    }
}

/// Counts how often a filter is asked.
private final class Looks: Sendable {
    private let number = Mutex(0)

    var total: Int { number.withLock { $0 } }

    func count() -> Bool {
        number.withLock { $0 += 1 }
        return true
    }
}
