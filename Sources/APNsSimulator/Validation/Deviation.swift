/// A departure from Apple's documentation that Apple delivers all the same.
///
/// The simulator takes and notes it, or refuses it if ``ValidationRules/isStrict``. Raw values are those of `deviations` at the
/// control address.
public enum Deviation: String, CaseIterable, Sendable {
    /// The provider token's `iat` has a decimal point: `1800000000.25`.
    case fractionalIssuedAt = "iat_float"
    /// The provider token's `iat` is a string: `"1800000000"`.
    case textualIssuedAt = "iat_string"
    /// There is no `apns-push-type`. The topic's suffix then says which push type it is.
    case missingPushType = "push_type_missing"
}
