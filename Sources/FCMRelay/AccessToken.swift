import Messaging

/// The token that authorizes requests to FCM, for up to an hour. A secret.
struct AccessToken: Hashable, Sendable {
    /// The token itself, for the `Authorization` field only.
    let value: String
    /// The time of the request for it by this machine's clock, in seconds since 1970.
    private let issuedAt: Int64
    /// The time until it expires, in seconds.
    private let lifetime: Int64

    init(value: String, issuedAt: Int64, lifetime: Int64) {
        self.value = value
        self.issuedAt = issuedAt
        self.lifetime = lifetime
    }

    /// The time before its end at which a token is renewed, in seconds. A short-lived token is renewed in the last
    /// quarter of its life.
    private static let renewalMargin: Int64 = 300

    /// Returns `true` if the token may still be sent. A token from the future may not: the clock was set back, and
    /// its end is unknown.
    func isUsable(at time: Int64) -> Bool { (issuedAt..<issuedAt + lifetime).contains(time) }

    /// Returns `true` if another token should be fetched.
    func isDue(at time: Int64) -> Bool { time >= issuedAt + lifetime - min(Self.renewalMargin, lifetime / 4) }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A reason for a missing access token.
struct AccessTokenError: Error, Hashable, Sendable {
    enum Kind: Sendable {
        /// Google refuses the account or its key. An operator has to act.
        case refused
        /// The token endpoint does not answer, or its answer is unusable. It will recover.
        case unavailable
        /// The caller was cancelled, which says nothing about the account.
        case cancelled
    }

    let kind: Kind
    /// The token endpoint's own code, such as `invalid_grant`, or one of ours in the form of the transports' reasons.
    let reason: String
    /// The time to wait before the next request to the token endpoint.
    var retryAfter: Duration?

    /// The failure of a notification. Nothing can be sent without a token, so every kind but a cancellation holds up
    /// the lane.
    var failure: Failure {
        switch kind {
        case .refused:
            Failure(code: .thirdPartyAuthError, reason: reason, retryAfter: retryAfter, laneFailure: .refused)
        case .unavailable:
            Failure(code: .serverUnavailable, reason: reason, retryAfter: retryAfter, laneFailure: .unreachable)
        case .cancelled:
            Failure(code: .serverUnavailable, reason: reason)
        }
    }
}
