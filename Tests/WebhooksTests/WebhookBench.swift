import DocumentStore
import Messaging
import Synchronization
import TestDoubles
import Testing
import WebPush

@testable import Webhooks

/// A recorder and a sender over a real store, with a clock that stands still and receivers with a script.
struct WebhookBench: Sendable {
    static let secret = [UInt8](repeating: 7, count: 32)

    let clock: ManualClock
    let disk: TemporaryStore
    let log = CollectedLog()
    let receivers: ScriptedReceivers
    let targets: WebhookTargets
    let sender: WebhookSender
    let recorder: WebhookRecorder

    /// - Parameter other: The bench of a gateway that has ended, or of another one over the same store.
    init(
        urls: [String] = ["http://one.lan/a"], kinds: [WebhookEventKind] = WebhookEventKind.allCases,
        on other: WebhookBench? = nil, isShared: Bool = false, hasRoom: Bool = true, maximumWaiting: Int = 1_000,
        _ receivers: ScriptedReceivers = ScriptedReceivers()
    ) throws {
        let clock = other?.clock ?? ManualClock()
        self.clock = clock
        self.receivers = receivers
        disk = try other?.disk ?? TemporaryStore(clock: clock)
        targets = WebhookTargets(
            WebhookSettings(urls: urls, secret: Self.secret, kinds: kinds), store: disk.documents,
            policy: EndpointPolicy(), secret: { Array($0.utf8) }, now: { clock.timestamp })
        let sender = WebhookSender(
            targets, over: receivers, store: disk.documents, isShared: isShared,
            maximumWaiting: maximumWaiting, clock: clock, now: { clock.timestamp }, jitter: { 1 }, logger: log.logger)
        self.sender = sender
        recorder = WebhookRecorder(
            targets, isShared: isShared, secretCollections: ["secretDevices"], hasRoom: { hasRoom },
            announce: { sender.notify() }, now: { clock.timestamp })
    }

    /// Records events in a commit, as a dispatcher does.
    func record(_ events: DeliveryEvent...) async throws {
        let writes = recorder.writes(recording: events)
        guard !writes.isEmpty else { return }
        _ = try await disk.documents.commit(writes)
        recorder.recorded()
    }

    func running(_ body: () async throws -> Void) async throws { try await sender.running(body) }

    /// The ids of the events that wait, of all targets.
    func waiting() async throws -> [String] {
        try await disk.documents.documents(matching: .collectionGroup(WebhookDocuments.eventsID)).map(\.path.id)
    }
}

extension DeliveryEvent {
    /// An event that a test tells from others by its app.
    static func resumed(_ app: String) -> DeliveryEvent {
        .resumed(Lane(transport: .apns, app: AppIdentity(bundleID: app)))
    }

    static func heldUp(_ app: String) -> DeliveryEvent {
        .heldUp(
            Lane(transport: .apns, app: AppIdentity(bundleID: app)), .refused, reason: "InvalidProviderToken")
    }
}

/// Receivers that answer as a test's script says, and keep what they get.
final class ScriptedReceivers: WebhookTransport {
    /// An event that reached a receiver.
    struct Received: Sendable {
        let url: String
        let event: SentEvent
        /// The number of this attempt at the receiver; 1 for the first.
        let attempt: Int

        var body: String { String(decoding: event.body, as: UTF8.self) }
    }

    typealias Script = @Sendable (Received) async -> WebhookAnswer

    private let script: Script
    private let state = Mutex<[Received]>([])

    init(_ script: @escaping Script = { _ in .taken }) { self.script = script }

    var received: [Received] { state.withLock(\.self) }

    func send(_ event: SentEvent, to target: WebhookTarget) async -> WebhookAnswer {
        let received = state.withLock { state in
            let attempt = state.count { $0.url == target.url } + 1
            let received = Received(url: target.url, event: event, attempt: attempt)
            state.append(received)
            return received
        }
        return await script(received)
    }
}
