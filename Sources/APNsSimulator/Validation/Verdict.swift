/// What came of judging a request: what could be read of it, and why it was refused, if it was.
public struct Verdict: Sendable {
    /// The `apns-id`, when the request had a well-formed one.
    public internal(set) var apnsID: String?
    /// The device token in the path, in lower case, when the path had one.
    public internal(set) var deviceToken: String?
    /// The claims of the provider token, when it was believed.
    public internal(set) var providerToken: ProviderToken?
    /// Why the request was refused; `nil` when it was accepted.
    public internal(set) var rejection: Rejection?

    public var isAccepted: Bool { rejection == nil }
}
