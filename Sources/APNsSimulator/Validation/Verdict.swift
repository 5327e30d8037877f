/// The result of validating a request: its ids and claims, and the cause of a refusal.
public struct Verdict: Sendable {
    /// The `apns-id`; `nil` if the request had none or a malformed one.
    public internal(set) var apnsID: String?
    /// The device token in the path, in lower case; `nil` if the path had none.
    public internal(set) var deviceToken: String?
    /// The `apns-channel-id` of a request about channels; `nil` if it had none.
    public internal(set) var channelID: String?
    /// The claims of the provider token; `nil` if the token was not valid.
    public internal(set) var providerToken: ProviderTokenClaims?
    /// The status and reason of a refusal; `nil` if the request was accepted.
    public internal(set) var rejection: APNsRejection?
    /// The cause of the refusal as a sentence, without complete tokens; `nil` if the request was accepted.
    public internal(set) var cause: String?
    /// Departures from Apple's documentation, found before the first error.
    public internal(set) var deviations: [Deviation] = []

    /// `true` if the request passed every check.
    public var isAccepted: Bool { rejection == nil }
}

/// A departure from Apple's documentation that Apple accepts.
///
/// The simulator accepts and records it, or refuses it if ``ValidationRules/isStrict``. The raw values appear as
/// `deviations` at the control address.
public enum Deviation: String, CaseIterable, Sendable {
    /// The provider token's `iat` has a decimal point: `1800000000.25`.
    case fractionalIssuedAt = "iat_float"
    /// The provider token's `iat` is a string: `"1800000000"`.
    case textualIssuedAt = "iat_string"
    /// There is no `apns-push-type`. The topic's suffix then implies the push type.
    case missingPushType = "push_type_missing"
    /// A member of an object in the payload is `null`. Senders report that APNs answers 200 to such payloads and does
    /// not deliver them.
    case nullMember = "null_member"
}

/// The refusal of a request: the answer, and its cause for the author of the sender.
struct Refusal: Error, Hashable {
    let rejection: APNsRejection
    /// The actual value and the expected one. Values are excerpts, so that no complete token appears.
    let cause: String

    init(_ rejection: APNsRejection, _ cause: String) {
        self.rejection = rejection
        self.cause = cause
    }
}
