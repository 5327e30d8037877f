import DocumentStore
import TestDoubles

@testable import Messaging
@testable import RelayTransport

/// A transport with a scripted relay and clocks of its own.
final class RelayBench: Sendable {
    static let now: Int64 = 1_800_000_000

    let relay: ScriptedRelay
    let hosts: CurrentHosts
    let transport: AuthorRelayTransport
    let log = CollectedLog()
    private let clock: ManualClock
    /// The files of the documents are there as long as this is.
    private let disk: TemporaryStore?

    /// - Parameter disk: The documents of the gateway, which outlive it.
    init(
        _ relay: ScriptedRelay, hosts entries: [String] = ["push.example.com"], clock: ManualClock = ManualClock(),
        on disk: TemporaryStore? = nil
    ) {
        self.clock = clock
        self.disk = disk
        self.relay = relay
        hosts = CurrentHosts(RelayHosts(entries.compactMap { RelayHosts.Entry($0) }))
        transport = AuthorRelayTransport(
            hosts, caller: relay, store: disk?.documents, now: { Self.now + clock.now.offset.components.seconds },
            uptime: { clock.now.offset }, jitter: { 0 }, logger: log.logger)
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }

    func outgoing(
        _ message: Message, to address: PushAddress, lifetime: Int64 = 3_600
    ) -> OutgoingMessage {
        let time = Self.now + clock.now.offset.components.seconds
        return OutgoingMessage(
            message: message, lane: address.lane, expiration: time + lifetime, id: "m1")
    }

    static func notification(to address: PushAddress, index: Int = 0) -> OutgoingNotification {
        OutgoingNotification(
            id: NotificationID(chunk: ChunkID(message: "m1", number: 0), index: index),
            target: Target(address: address, registration: nil))
    }

    static let message = Message(notification: Message.Notification(title: "Build", body: "Done"))

    /// Sends a message to a phone, once.
    func send(
        _ message: Message = RelayBench.message, to phone: RelayPhone, lifetime: Int64 = 3_600
    ) async throws -> Outcome {
        let address = try phone.registered()
        return await transport.prepare(outgoing(message, to: address, lifetime: lifetime))
            .send(Self.notification(to: address))
    }
}

extension Outcome {
    /// The reason of a rejection or a failure; `nil` for an acceptance.
    var reason: String? {
        switch self {
        case .accepted: nil
        case .rejected(let rejection): rejection.reason
        case .failed(let failure): failure.reason
        }
    }

    /// `true` if the registration is removed without a check.
    var removesRegistration: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.invalidation == .unregistered(since: nil)
    }

    /// The failure; `nil` for another outcome.
    var failure: Failure? { if case .failed(let failure) = self { failure } else { nil } }
}
