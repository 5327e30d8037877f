internal import Messaging

/// Why there is no access token.
struct AccessTokenError: Error, Hashable, Sendable {
    enum Kind: Sendable {
        /// The account or its key is not taken. Somebody has to put it right.
        case refused
        /// There is no answer to be had, or none that can be used. There will be.
        case unavailable
        /// Whoever asked did not want it any more, which says nothing about the account.
        case cancelled
    }

    let kind: Kind
    /// The token endpoint's own word, `invalid_grant`, or ours in the form of the transports'.
    let reason: String
    /// How long to leave the token endpoint alone.
    var retryAfter: Duration?

    /// Nothing is sent without a token, so all but a cancellation holds up the lane.
    var failure: Failure {
        switch kind {
        case .refused:
            Failure(code: .thirdPartyAuthError, reason: reason, retryAfter: retryAfter, laneTrouble: .refused)
        case .unavailable:
            Failure(code: .serverUnavailable, reason: reason, retryAfter: retryAfter, laneTrouble: .unreachable)
        case .cancelled:
            Failure(code: .serverUnavailable, reason: reason)
        }
    }
}
