/// What became of a subscription that did not fail.
public enum SubscriptionOutcome: Hashable, Sendable {
    /// The gateway has taken it.
    case registered
    /// There was nothing to send: the gateway took the same a short while ago, or the chat was unsubscribed meanwhile. See ``RegistrationPolicy``.
    case unchanged
    /// It is kept, and is registered when the token comes.
    case waitingForToken
    /// The directory does not list the server. The chat is kept, and registered at the first occasion when it does.
    case pushNotEnabled
}

/// What became of all that was due.
public struct ReplayReport: Hashable, Sendable {
    /// What the gateways have taken.
    public internal(set) var registered: Set<Chat>
    /// What they have not, and why. It is due again at the next occasion.
    public internal(set) var failed: [Chat: PushClientError]
    /// When a gateway that asked for a pause, the first of them, may be asked again: in a second at the soonest. nil when
    /// none did.
    public internal(set) var retryAfter: Duration?

    public init(
        registered: Set<Chat> = [], failed: [Chat: PushClientError] = [:], retryAfter: Duration? = nil
    ) {
        self.registered = registered
        self.failed = failed
        self.retryAfter = retryAfter
    }
}
