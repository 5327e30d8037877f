import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

/// A gateway that sends with a schedule over the documents of a bench.
struct ScheduleBench {
    let bench: Bench
    let broadcaster: Broadcaster
    let scheduled: ScheduledMessages

    init(
        _ transport: ScriptedTransport = ScriptedTransport(), on other: ScheduleBench? = nil,
        membership: TestMembership? = nil
    ) throws {
        bench = try Bench(transport, on: other?.bench, membership: membership)
        broadcaster = Broadcaster(
            store: bench.store, outbox: bench.outbox, clock: bench.clock, logger: bench.log.logger)
        scheduled = ScheduledMessages(
            store: bench.store, admitting: bench.store, outbox: bench.outbox, broadcaster: broadcaster,
            isShared: membership != nil, clock: bench.clock, now: { [clock = bench.clock] in clock.timestamp },
            logger: bench.log.logger)
    }

    var documents: SQLiteDocumentStore { bench.disk.documents }

    func running(_ body: () async throws -> Void) async throws {
        try await bench.running { try await broadcaster.running { try await scheduled.running(body) } }
    }

    func schedule(
        _ draft: Draft, to target: Target, after delay: Duration
    ) async throws -> String {
        try await scheduled.schedule(draft, to: .all([target]), at: bench.clock.timestamp.adding(delay))
    }

    /// Returns the id of the accepted message, once a scheduled one was accepted.
    func entered(_ id: String) async throws -> String? {
        var accepted: String?
        try await eventually("\(id) is accepted", advancing: bench.clock, by: .milliseconds(100)) {
            guard case .entered(let message)? = try await scheduled.state(of: id) else { return false }
            accepted = message
            return true
        }
        return accepted
    }

    func isWaiting(_ id: String) async throws -> Bool {
        guard case .waiting? = try await scheduled.state(of: id) else { return false }
        return true
    }
}

extension Draft {
    /// A message that replaces earlier ones with the id.
    static func later(_ body: String, id: String? = "chat", lifetime: Duration? = .seconds(3_600)) -> Draft {
        var headers: [String: String] = [:]
        headers["apns-collapse-id"] = id
        return Draft(
            message: Message(notification: .init(body: body), apns: .init(headers: headers)), lifetime: lifetime,
            source: "test", registrationFields: RegistrationFields(token: "token", environment: "environment"))
    }
}

extension Target {
    static let phone = Target(address: PushAddress(token: "phone"), registration: nil)
}

extension ScheduleBench {
    /// The bodies of all notifications given to the transport, in order.
    var bodies: [String] { bench.transport.sent.map { $0.message.message.notification?.body ?? "" } }
}
