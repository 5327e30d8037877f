internal import DocumentStore

/// A way to a push service.
///
/// Implementations are asked to bring each notification to one of three outcomes within a bound of their own; they
/// neither queue nor retry over time: the dispatcher does, for all of them.
public protocol PushTransport: Sendable {
    /// For people: `APNs (sandbox), topic com.example.app`.
    var description: String { get }

    /// How many notifications of one lane may be on their way at once.
    var window: Int { get }

    /// Returns the lane with the app and the environment that it stands for where it names none.
    func resolved(_ lane: Lane) -> Lane

    /// Makes of a message what is the same for every target of a lane, once.
    func prepare(_ message: OutgoingMessage) -> any PreparedMessage
}

extension PushTransport {
    public func resolved(_ lane: Lane) -> Lane { lane }
}

/// A message made ready for one lane of one transport.
public protocol PreparedMessage: Sendable {
    /// Sends it to one target, once.
    func send(_ notification: OutgoingNotification) async -> Outcome

    /// As ``send(_:)``, and reports the outcome later, on any thread; for transports that need no task for it.
    ///
    /// - Parameters:
    ///   - tasks: where to begin a task if one is needed.
    ///   - completion: called once, perhaps before this returns; it is brief.
    func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void)
}

extension PreparedMessage {
    public func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        tasks.add { completion(await self.send(notification)) }
    }
}

/// A message on its way out.
public struct OutgoingMessage: Sendable {
    public let message: Message
    public let lane: Lane
    public let expiration: Expiration
    /// When the gateway took it, in seconds since 1970; nil for just now.
    public let acceptedAt: Int64?
    /// The message's own, the same over all attempts and restarts; `nil` for one that was never accepted.
    public let id: String?
    /// What FCM's library in the app is told; nil for a message that did not come through FCM's API.
    public let identity: FCMIdentity?
    /// The condition it was sent to, `'news' in topics`; nil for one that was sent to tokens.
    public let condition: String?

    /// When a push service should stop trying to reach a device that is offline, in seconds since 1970.
    public typealias Expiration = Int64

    public init(
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

/// One notification of a message: its own id, which stays the same over all attempts, and whom it goes to.
public struct OutgoingNotification: Sendable {
    public let id: NotificationID
    public let target: Target

    public init(id: NotificationID, target: Target) {
        self.id = id
        self.target = target
    }

    /// The document id of the registration: where registrations are FCM's, the Firebase installation id.
    public var installationID: String? { target.registration?.id }
}
