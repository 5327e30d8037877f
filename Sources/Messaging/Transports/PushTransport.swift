/// A component that sends to one push service, or to a family of services with one protocol.
///
/// An implementation brings each notification to one of three outcomes within a time limit of its own. It neither
/// queues nor retries over time: the dispatcher does that for all transports.
package protocol PushTransport: Sendable {
    /// A text for logs, such as `APNs (sandbox), topic com.example.app`.
    var description: String { get }

    /// The maximum number of notifications of one lane in flight.
    var window: Int { get }

    /// Returns the maximum number of notifications of a lane in flight, for a transport whose lanes differ.
    func window(of lane: Lane) -> Int

    /// Returns the lane with the app and the environment that the configuration gives it.
    func resolved(_ lane: Lane) -> Lane

    /// Returns `true` for a lane of servers that clients name. Strangers could fill the log with its outcomes, which
    /// are logged at `debug`.
    func isOfStrangers(_ lane: Lane) -> Bool

    /// `true` if devices register other addresses now and then, with which messages that wait have to be sent.
    var followsRegistrations: Bool { get }

    /// Prepares a message once for all targets of a lane.
    func prepare(_ message: OutgoingMessage) -> any PreparedMessage

    /// Gives up a notification in flight, because a newer one replaces it and must not overtake it. Its outcome is a
    /// failure then.
    ///
    /// - Returns: `false` if the transport cannot do that.
    func cancel(_ id: NotificationID) -> Bool
}

extension PushTransport {
    /// Returns the number that all lanes have.
    package func window(of lane: Lane) -> Int { window }

    /// Returns `false`.
    package func isOfStrangers(_ lane: Lane) -> Bool { false }

    /// `false`: messages go to the address of their acceptance.
    package var followsRegistrations: Bool { false }

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
    ///   - completion: called once, possibly before this returns, and without a lock that this takes: it sends the next
    ///     notification on its thread. It is brief as long as this is.
    func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void)

    /// Calls a closure that sends to many targets, at once or later on the thread where that costs least.
    func sendMany(_ body: @escaping @Sendable () -> Void)
}

extension PreparedMessage {
    /// `nil`: the push service decides.
    package var commonRejection: Rejection? { nil }

    /// Calls the closure at once.
    package func sendMany(_ body: @escaping @Sendable () -> Void) { body() }

    /// Sends in a task of the pool.
    package func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        tasks.add { completion(await self.send(notification)) }
    }
}

/// A message that is rejected for every target.
package struct RejectedMessage: PreparedMessage {
    private let rejection: Rejection

    package init(rejection: Rejection) { self.rejection = rejection }

    /// The rejection.
    package var commonRejection: Rejection? { rejection }

    /// Returns the rejection.
    package func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(rejection) }
}

extension Rejection {
    /// The rejection of a message that a push service takes in no form.
    package static let payloadTooLarge = Rejection(code: .invalidArgument, reason: "PayloadTooLarge")
}
