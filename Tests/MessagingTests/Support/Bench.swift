import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

/// An outbox and a dispatcher over a real store, with a clock that stands still and a scripted transport.
struct Bench: Sendable {
    let clock: ManualClock
    let disk: TemporaryStore
    let store: ObservedStore
    let transport: ScriptedTransport
    let log: CollectedLog
    let dispatcher: Dispatcher
    let outbox: Outbox

    /// - Parameters:
    ///   - jitter: the jitter of each delay: 1 waits the whole delay, 0 half of it.
    ///   - membership: the place among several gateways over one store.
    ///   - events: records what happens.
    ///   - now: the calendar time, if it differs from the clock's.
    init(
        _ transport: ScriptedTransport = ScriptedTransport(), on other: Bench? = nil,
        configuration: Dispatcher.Configuration = Dispatcher.Configuration(), jitter: Double = 1,
        membership: TestMembership? = nil, events: (any DeliveryEventRecorder)? = nil,
        receipts: ReceiptAddress? = nil, now: (@Sendable () -> Timestamp)? = nil
    ) throws {
        let clock = other?.clock ?? ManualClock()
        let now = now ?? { clock.timestamp }
        self.clock = clock
        self.transport = transport
        disk = try other?.disk ?? TemporaryStore(clock: clock)
        store = ObservedStore(disk.documents)
        log = CollectedLog()
        dispatcher = Dispatcher(
            store: store, transports: TransportTable(everythingTo: transport), configuration: configuration,
            membership: membership, events: events, receipts: receipts, clock: clock, now: now, jitter: { jitter },
            logger: log.logger)
        outbox = Outbox(store: store, dispatcher: dispatcher, now: now)
    }

    /// Runs the dispatcher for the duration of the body.
    func running(_ body: () async throws -> Void) async throws {
        try await dispatcher.running(body)
    }

    // MARK: Documents

    /// Stores a registration as an app does, and returns its target.
    func register(_ id: String, token: String, topic: String? = nil) async throws -> Target {
        let path = try CollectionPath("devices").document(id)
        _ = try await disk.documents.commit([.set(path, ["token": .string(token)])])
        return Target(address: PushAddress(token: token, app: AppIdentity(bundleID: topic)), registration: path)
    }

    /// Returns the documents with a message's chunks.
    func chunks(of messageID: String) async throws -> [Document] {
        let message = try DocumentPath("messages/\(messageID)")
        let further = try message.collection("messages")
        return try await [disk.documents.document(at: message)].compactMap(\.self).filter(\.isChunk)
            + disk.documents.documents(matching: .collection(further))
    }

    /// Returns one chunk of a message that was cut at once.
    func chunk(_ messageID: String, _ number: Int = 0) async throws -> Document {
        let path = try DocumentPath("messages/\(messageID)" + (number > 0 ? "/messages/\(number)" : ""))
        return try #require(try await disk.documents.document(at: path))
    }

    func isSettled(_ messageID: String) async throws -> Bool {
        let chunks = try await chunks(of: messageID)
        return !chunks.isEmpty && chunks.allSatisfy { $0["settledAt"] != nil }
    }

    func exists(_ target: Target) async throws -> Bool {
        let path = try #require(target.registration)
        return try await disk.documents.document(at: path) != nil
    }

    func settled(_ delivery: Delivery) async throws {
        try await eventually("the message settles") { try await isSettled(delivery.messageID) }
    }
}

extension Draft {
    static func sample(lifetime: Duration? = .seconds(86_400), body: String = "Sample body") -> Draft {
        Draft(
            message: .sample(body: body), lifetime: lifetime, source: "test",
            registrationFields: RegistrationFields(token: "token", environment: "environment"))
    }
}

extension Document {
    /// The states of a chunk's targets.
    var targetStates: [String] { targets.compactMap { $0["state"]?.string } }

    /// The maps of a chunk's targets. A settled chunk gives the maps in their form before settling.
    var targets: [Fields] {
        guard self["settled"] != nil else { return self["targets"]?.array?.compactMap(\.map) ?? [] }
        let collection = self["registrations"]?.string.flatMap { try? CollectionPath($0) }
        return (try? Chunk(document: self))?.entries.compactMap { $0.value(below: collection).map } ?? []
    }
}
