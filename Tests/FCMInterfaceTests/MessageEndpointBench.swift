import DocumentStore
import Emulator
import Functions
import JSON
import Messaging
import Server
import TestDoubles

@testable import FCMInterface

/// A `messages:send` endpoint without a server: a real store, the emulated transport and a manual clock.
struct MessageEndpointBench {
    /// The clock of the endpoint and of the push service.
    let clock = ManualClock()
    let inbox = Inbox()
    let scripts = EmulatorScripts()
    let sent = SentMessages()
    let endpoint: MessageEndpoint
    private static let settings = FCMSettings(
        projectID: "pushgate", sendWait: .seconds(10), messagesPerMinutePerAccount: 0, unregisteredAs: .unregistered)

    private let dispatcher: Dispatcher
    private let disk: TemporaryStore

    /// - Parameter isEmulator: `false` for a gateway that delivers, where raw APNs tokens are unknown.
    init(isEmulator: Bool = true) throws {
        let clock = clock
        let now: @Sendable () -> Timestamp = { clock.timestamp }
        disk = try TemporaryStore(clock: clock)
        let store = disk.documents
        let log = CollectedLog()
        let emulated = EmulatedTransport(inbox: inbox, scripts: scripts, clock: clock, now: now)
        let transports =
            isEmulator
            ? TransportTable(everythingTo: emulated)
            : TransportTable([.emulated: emulated, .apns: ScriptedTransport()])
        dispatcher = Dispatcher(store: store, transports: transports, now: now, logger: log.logger)
        let outbox = Outbox(store: store, dispatcher: dispatcher, now: now)
        endpoint = MessageEndpoint(
            resolver: RegistrationResolver(
                store: store, key: RegistrationTokenKey(Array(repeating: 1, count: 32)),
                foreignTokens: isEmulator ? .accept : .refused, now: now),
            table: PushServiceTable([InboxService.self]), transports: transports, outbox: outbox,
            broadcaster: Broadcaster(store: store, outbox: outbox, logger: log.logger),
            scripts: scripts, sent: sent, settings: Self.settings,
            isEmulator: isEmulator,
            quota: FixedWindowLimiter(limit: 0, everySeconds: 60),
            idempotency: IdempotentRequests(store: store, isShared: false, clock: clock, now: now), clock: clock,
            now: now)
    }

    func running(_ body: () async throws -> Void) async throws { try await dispatcher.running(body) }

    /// - Returns: `nil` if the message was accepted.
    func error(sending message: JSONValue, isDryRun: Bool = false) async throws -> APIError? {
        do {
            let body: JSONValue = ["message": message, "validateOnly": .bool(isDryRun)]
            _ = try await endpoint.send(try MessageEndpoint.sendRequest(body))
            return nil
        } catch let error as APIError {
            return error
        }
    }
}
