import DocumentStore
import Texts

/// A component that sends to one push service, or to a family of services with one protocol.
///
/// An implementation brings each notification to one of three outcomes within a time limit of its own. It neither
/// queues nor retries over time: the dispatcher does that for all transports.
package protocol PushTransport: Sendable {
    /// A text for logs, such as `APNs (sandbox), topic com.example.app`.
    var description: String { get }

    /// The maximum number of notifications of one lane in flight.
    var window: Int { get }

    /// Returns the lane with the app and the environment that the configuration gives it.
    func resolved(_ lane: Lane) -> Lane

    /// Prepares a message once for all targets of a lane.
    func prepare(_ message: OutgoingMessage) -> any PreparedMessage

    /// Gives up a notification in flight, because a newer one replaces it and must not overtake it. Its outcome is a
    /// failure then.
    ///
    /// - Returns: `false` if the transport cannot do that.
    func cancel(_ id: NotificationID) -> Bool
}

extension PushTransport {
    /// Returns the lane itself.
    package func resolved(_ lane: Lane) -> Lane { lane }

    /// Returns `false`.
    package func cancel(_ id: NotificationID) -> Bool { false }
}

/// A message that is ready for one lane of one transport.
package protocol PreparedMessage: Sendable {
    /// The rejection that every target gets without a request; `nil` if the push service decides.
    var commonRejection: Rejection? { get }

    /// Sends the message to one target, once.
    func send(_ notification: OutgoingNotification) async -> Outcome

    /// Sends like ``send(_:)``, and reports the outcome later on any thread. Transports that need no task for it
    /// implement this method.
    ///
    /// - Parameters:
    ///   - tasks: the pool for a task, if one is needed.
    ///   - completion: called once, possibly before this returns; it is brief.
    func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void)
}

extension PreparedMessage {
    /// `nil`: the push service decides.
    package var commonRejection: Rejection? { nil }

    /// Sends in a task of the pool.
    package func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        tasks.add { completion(await self.send(notification)) }
    }
}

/// A message on its way to a transport.
package struct OutgoingMessage: Sendable {
    /// The content.
    package let message: Message
    /// The transport, app and environment.
    package let lane: Lane
    /// The time at which a push service stops trying.
    package let expiration: Expiration
    /// The time of acceptance by the gateway, in seconds since 1970; `nil` for the present.
    package let acceptedAt: Int64?
    /// The message's id, the same for all attempts and after restarts; `nil` for a message that was never accepted.
    package let id: String?
    /// The ids for FCM's library in the app; `nil` if the message did not come through FCM's API.
    package let identity: FCMIdentity?
    /// The condition that selected the targets, such as `'news' in topics`; `nil` for a message to tokens.
    package let condition: String?

    /// The time at which a push service stops trying to reach an offline device, in seconds since 1970.
    package typealias Expiration = Int64

    /// Creates a message.
    package init(
        message: Message, lane: Lane, expiration: Expiration, acceptedAt: Int64? = nil,
        id: String? = nil,
        identity: FCMIdentity? = nil, condition: String? = nil
    ) {
        self.message = message
        self.lane = lane
        self.expiration = expiration
        self.acceptedAt = acceptedAt
        self.id = id
        self.identity = identity
        self.condition = condition
    }
}

/// One notification of a message: its id, which is the same for all attempts, and its target.
package struct OutgoingNotification: Sendable {
    /// The id of the notification.
    package let id: NotificationID
    /// The device to send to.
    package let target: Target

    /// Creates a notification.
    package init(id: NotificationID, target: Target) {
        self.id = id
        self.target = target
    }

    /// The document id of the registration. For registrations of FCM it is the Firebase installation id.
    package var installationID: String? { target.registration?.id }
}

/// A pool for tasks that synchronous code starts. They are child tasks of the task that runs the pool.
package final class TaskPool: Sendable {
    private let works: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

    /// Creates a pool.
    package init() {
        (works, queue) = AsyncStream.makeStream()
    }

    /// Starts a task once the pool runs. A task that is added after ``finish()`` never starts.
    package func add(_ work: @escaping @Sendable () async -> Void) { queue.yield(work) }

    /// Runs the added tasks until ``finish()`` was called and all of them have ended. Cancellation reaches all of
    /// them.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await work in works { group.addTask { await work() } }
        }
    }

    /// Lets no more tasks start.
    package func finish() { queue.finish() }
}

/// A parser for `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The maximum wait. A service that asks for a day has most likely made a mistake, and messages wait.
    static let longest = Duration.seconds(3_600)

    /// Returns the time to wait, at most an hour; `nil` if the field is absent or has another form.
    ///
    /// - Parameter field: a number of seconds, which is the form that Apple and Google use. A date is not read.
    package static func duration(_ field: String?) -> Duration? {
        guard let field, !field.isEmpty, field.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(.seconds(Int64(field) ?? .max), longest)
    }
}
