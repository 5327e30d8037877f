internal import JSON
internal import Messaging

/// The token endpoint's answer, and what it means (RFC 6749 §5).
struct AccessTokenAnswer: Sendable {
    private let status: Int
    private let retryAfter: Duration?
    private let json: JSONValue?

    /// - Parameter body: `{"access_token":…,"expires_in":…}`, or `{"error":…,"error_description":…}`, or anything.
    init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.status = status
        self.retryAfter = RetryAfter.duration(retryAfter)
        json = try? JSONValue(parsing: body)
    }

    /// In seconds: an hour, as Google's are, where the answer does not say (RFC 6749 §5.1 has it say); and never so short
    /// that it is over before it is used.
    private static let standardLifetime: Int64 = 3_600
    private static let lifetimes: ClosedRange<Int64> = 60...86_400

    /// - Parameter time: when it was asked for, in seconds since 1970.
    func token(issuedAt time: Int64) throws(AccessTokenError) -> AccessToken {
        guard status == 200 else { throw refusal }
        guard let value = json?["access_token"]?.string, !value.isEmpty else {
            throw AccessTokenError(kind: .unavailable, reason: "NoAccessToken", retryAfter: retryAfter)
        }
        // A number of seconds as the RFC has it; a string of one is seen in the field.
        let lifetime = json?["expires_in"]?.integer ?? json?["expires_in"]?.string.flatMap { Int64($0) }
        let bounds = Self.lifetimes
        return AccessToken(
            value: value, issuedAt: time,
            lifetime: min(max(lifetime ?? Self.standardLifetime, bounds.lowerBound), bounds.upperBound))
    }

    /// For the log: what is wrong in Google's words, cut to a length that no assertion fits into.
    var explanation: String? { (json?["error_description"]?.string).map { String($0.prefix(200)) } }

    private var refusal: AccessTokenError {
        let word = (json?["error"]?.string).map { String($0.prefix(100)) }
        let isPassing = !(400..<500).contains(status) || status == 408 || status == 429
        return AccessTokenError(
            kind: isPassing ? .unavailable : .refused, reason: word ?? "HTTP\(status)", retryAfter: retryAfter)
    }
}
