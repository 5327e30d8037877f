package import DocumentStore
package import Messaging
import Synchronization

/// A push service that answers as a test's script says and records every notification.
package final class ScriptedTransport: PushTransport {
    /// A notification given to the transport.
    package struct Sent: Sendable {
        package let id: NotificationID
        package let target: Target
        package let message: OutgoingMessage
        /// The number of this attempt; 1 for the first.
        package let attempt: Int

        /// The token of the target.
        package var token: String { target.address.token.value }
    }

    /// A function that decides the outcome of each notification.
    package typealias Script = @Sendable (Sent) async -> Outcome

    private struct State {
        var sent: [Sent] = []
        var attempts: [NotificationID: Int] = [:]
        var underWay: [Lane: Int] = [:]
        var mostUnderWay: [Lane: Int] = [:]
        var prepared = 0
    }

    package let window: Int
    package let description = "scripted"
    private let script: Script
    private let state = Mutex(State())

    /// The app of lanes that name none.
    private let defaultTopic: String?
    /// The windows of lanes that have others, by their topics.
    private let windows: [String: Int]
    /// The topics of lanes whose servers strangers name.
    private let strangers: Set<String>

    package init(
        window: Int = 50, windows: [String: Int] = [:], defaultTopic: String? = nil, strangers: Set<String> = [],
        _ script: @escaping Script = { _ in .accepted }
    ) {
        self.window = window
        self.windows = windows
        self.defaultTopic = defaultTopic
        self.strangers = strangers
        self.script = script
    }

    /// Creates a transport that accepts everything, and notifications to `token` only after the gate opens.
    package convenience init(holding token: String, at gate: Gate) {
        self.init { sent in
            if sent.token == token { await gate.pass() }
            return .accepted
        }
    }

    /// All notifications given to the transport, in order.
    package var sent: [Sent] { state.withLock(\.sent) }
    /// The tokens of all notifications, in order.
    package var tokens: [String] { sent.map(\.token) }
    /// The number of attempts per notification.
    package var attempts: [NotificationID: Int] { state.withLock(\.attempts) }
    /// The number of messages prepared so far.
    package var prepared: Int { state.withLock(\.prepared) }

    /// The number of notifications in flight.
    package var underWay: Int { state.withLock { $0.underWay.values.reduce(0, +) } }

    /// Returns the largest number of notifications in flight at one time in the lane.
    package func mostUnderWay(in lane: Lane) -> Int { state.withLock { $0.mostUnderWay[lane] ?? 0 } }

    package func window(of lane: Lane) -> Int { lane.app.bundleID.flatMap { windows[$0] } ?? window }

    package func isOfStrangers(_ lane: Lane) -> Bool { lane.app.bundleID.map(strangers.contains) ?? false }

    package func resolved(_ lane: Lane) -> Lane {
        Lane(
            transport: lane.transport,
            app: AppIdentity(bundleID: lane.app.bundleID ?? defaultTopic, environment: lane.app.environment))
    }

    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        state.withLock { $0.prepared += 1 }
        return Prepared(transport: self, message: message)
    }

    private struct Prepared: PreparedMessage {
        let transport: ScriptedTransport
        let message: OutgoingMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            await outcome(of: transport.begin(notification, message))
        }

        /// Records the notification at once, so that the order is that of the calls.
        func send(
            _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
        ) {
            let sent = transport.begin(notification, message)
            tasks.add { completion(await outcome(of: sent)) }
        }

        private func outcome(of sent: Sent) async -> Outcome {
            let outcome = await transport.script(sent)
            transport.end(message.lane)
            return outcome
        }
    }

    private func begin(_ notification: OutgoingNotification, _ message: OutgoingMessage) -> Sent {
        state.withLock { state in
            state.attempts[notification.id, default: 0] += 1
            let sent = Sent(
                id: notification.id, target: notification.target, message: message,
                attempt: state.attempts[notification.id, default: 0])
            state.sent.append(sent)
            state.underWay[message.lane, default: 0] += 1
            let underWay = state.underWay[message.lane, default: 0]
            state.mostUnderWay[message.lane] = max(state.mostUnderWay[message.lane] ?? 0, underWay)
            return sent
        }
    }

    private func end(_ lane: Lane) {
        state.withLock { $0.underWay[lane, default: 0] -= 1 }
    }
}

extension Outcome {
    /// A rejection of an unregistered token, without a time.
    package static let dead = dead(since: nil)

    /// Returns a rejection of a token that is unregistered since `time`.
    package static func dead(since time: Timestamp?) -> Outcome {
        .rejected(
            Rejection(
                code: .registrationTokenNotRegistered, reason: "Unregistered", invalidation: .unregistered(since: time))
        )
    }

    /// A rejection of a token that the push service does not know, which is doubtful.
    package static let unknownToken = Outcome.rejected(
        Rejection(code: .invalidRegistrationToken, reason: "BadDeviceToken", invalidation: .unrecognized))
    /// A rejection that does not concern the token.
    package static let refused = Outcome.rejected(Rejection(code: .invalidArgument, reason: "BadTopic"))
    /// A failure of the whole lane: the push service refuses its app.
    package static let laneRefused = Outcome.failed(
        Failure(code: .thirdPartyAuthError, reason: "Refused", laneFailure: .refused))
    /// A failure to retry.
    package static let busy = Outcome.failed(Failure(code: .serverUnavailable, reason: "ServiceUnavailable"))

    /// Returns a failure to retry after a given time.
    package static func busy(retryAfter: Duration) -> Outcome {
        .failed(Failure(code: .messageRateExceeded, reason: "TooManyRequests", retryAfter: retryAfter))
    }

    /// Returns a wait for a turn, without an attempt.
    package static func waiting(_ wait: Duration) -> Outcome {
        .failed(Failure(code: .serverUnavailable, reason: "HostBusy", retryAfter: wait, isAttempt: false))
    }
}
