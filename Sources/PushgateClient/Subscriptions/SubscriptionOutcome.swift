/// The result of a subscription that did not fail.
public enum SubscriptionOutcome: Hashable, Sendable {
    /// The gateway has accepted the registration.
    case registered
    /// No request was necessary: the gateway accepted the same registration a short time ago, or the chat has been
    /// unsubscribed since. See ``RegistrationPolicy``.
    case unchanged
    /// The chat is on the list, and is registered after the token arrives.
    case waitingForToken
    /// The directory does not list the server. The chat is on the list, and is registered after the server is listed.
    case pushNotEnabled
}

/// The result of sending all requests that were due.
public struct ReplayReport: Hashable, Sendable {
    /// The chats whose registration a gateway has accepted.
    public internal(set) var registered: Set<Chat>
    /// The chats whose registration failed, with the errors. They are due again at the next occasion.
    public internal(set) var failed: [Chat: PushClientError]
    /// The shortest pause that a gateway or the relay has asked for, at least one second; `nil` if none did.
    public internal(set) var retryAfter: Duration?
    /// The error of the author's relay, which did not confirm the address; `nil` if it did, or was not asked. Gateways
    /// that have the address keep it.
    public internal(set) var relayError: RelayError?

    /// Reports that nothing was due if no argument is given.
    public init(
        registered: Set<Chat> = [], failed: [Chat: PushClientError] = [:], retryAfter: Duration? = nil,
        relayError: RelayError? = nil
    ) {
        self.registered = registered
        self.failed = failed
        self.retryAfter = retryAfter
        self.relayError = relayError
    }
}
