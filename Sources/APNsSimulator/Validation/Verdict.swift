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
    /// The cause of the refusal in words, without whole tokens; `nil` when it was accepted.
    public internal(set) var cause: String?
    /// Departures from Apple's documentation, as far as the request was read.
    public internal(set) var deviations: [Deviation] = []

    public var isAccepted: Bool { rejection == nil }
}
