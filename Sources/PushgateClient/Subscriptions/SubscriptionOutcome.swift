/// What became of a subscription that did not fail.
public enum SubscriptionOutcome: Hashable, Sendable {
    /// The gateway has taken it.
    case registered
    /// The gateway took the same a short while ago; nothing was sent. See ``RegistrationPolicy``.
    case unchanged
    /// It is kept, and is registered when the token comes.
    case waitingForToken
    /// The app has no secret for the server; nothing was kept.
    case pushNotEnabled
}

/// What became of all that was due.
public struct ReplayReport: Hashable, Sendable {
    /// What the gateways have taken.
    public internal(set) var registered: Set<Chat>
    /// What they have not, and why. It is due again at the next occasion.
    public internal(set) var failed: [Chat: PushClientError]

    public init(registered: Set<Chat> = [], failed: [Chat: PushClientError] = [:]) {
        self.registered = registered
        self.failed = failed
    }
}
