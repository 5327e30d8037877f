package import DocumentStore

/// The result of one attempt to send one notification. There are only these three.
package enum Outcome: Hashable, Sendable {
    /// The push service accepted the notification.
    case accepted(Acceptance)
    /// The push service rejects the notification permanently; it is not sent again.
    case rejected(Rejection)
    /// The attempt failed; the notification is sent again later.
    case failed(Failure)

    /// An acceptance without further information.
    package static let accepted = Outcome.accepted(Acceptance())

    /// The same outcome without a consequence for the registration, for an answer that concerns something in the
    /// message and not the registration's token. A rejection's error code becomes the message's own: a registration's
    /// error code would make clients discard a valid token.
    package var keepingRegistration: Outcome {
        switch self {
        case .accepted: .accepted
        case .rejected(let rejection) where rejection.invalidation != nil:
            .rejected(Rejection(code: .invalidArgument, reason: rejection.reason, verdict: rejection.verdict))
        case .rejected, .failed: self
        }
    }
}

/// The acceptance by a push service.
package struct Acceptance: Hashable, Sendable {
    /// The part of the app's identity that the target's address leaves open and the transport found by trying; `nil`
    /// if it found none.
    package let found: AppIdentity?

    package init(found: AppIdentity? = nil) { self.found = found }
}

/// A permanent rejection by a push service.
package struct Rejection: Hashable, Sendable {
    /// The error in the words of the Admin SDKs.
    package let code: MessagingErrorCode
    /// The push service's own word, such as `Unregistered`, or one of ours in the same form.
    package let reason: String
    /// The platform's own answer, to this gateway or to FCM; `nil` if the platform has not judged the notification.
    package let verdict: PlatformVerdict?
    /// The invalidation of the token, for which the registration is removed; `nil` if the token stays valid.
    package let invalidation: TokenInvalidation?

    package init(
        code: MessagingErrorCode, reason: String, verdict: PlatformVerdict? = nil,
        invalidation: TokenInvalidation? = nil
    ) {
        self.code = code
        self.reason = reason
        self.verdict = verdict
        self.invalidation = invalidation
    }
}

/// A rejection by the service of the device's platform, in that service's own words. FCM's clients receive it in
/// addition to FCM's error.
package struct PlatformVerdict: Hashable, Sendable {
    /// The platform's service, which FCM may have asked on its part.
    package let service: TransportName
    /// The HTTP status.
    package let status: Int
    /// The reason, such as APNs' `BadDeviceToken`.
    package let reason: String

    package init(by service: TransportName, status: Int, reason: String) {
        self.service = service
        self.status = status
        self.reason = reason
    }
}

/// A report that a token is no longer valid.
package enum TokenInvalidation: Hashable, Sendable {
    /// The token is no longer valid, in general because the app was removed from the device. The time, if the service
    /// names one, is the last at which it found the token invalid; a registration that was renewed after it stays.
    case unregistered(since: Timestamp?)
    /// The service does not know the token. It gives the same answer if our key, the app or the environment is wrong.
    case unrecognized
}

/// A failed attempt, which may succeed later.
package struct Failure: Hashable, Sendable {
    /// The error in the words of the Admin SDKs.
    package let code: MessagingErrorCode
    /// The push service's own word, or one of ours in the same form.
    package let reason: String
    /// The wait that the service asked for, for this target or for the lane.
    package let retryAfter: Duration?
    /// The reason why every notification of the lane would fail; `nil` if the failure concerns this target alone.
    package let laneFailure: LaneFailure?
    /// `false` if nothing was sent, because the target waits for its turn: the delays between attempts do not grow. It
    /// then has a ``retryAfter``.
    package let isAttempt: Bool

    package init(
        code: MessagingErrorCode, reason: String, retryAfter: Duration? = nil, laneFailure: LaneFailure? = nil,
        isAttempt: Bool = true
    ) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        self.laneFailure = laneFailure
        self.isAttempt = isAttempt
    }
}

/// A reason that stops a whole lane.
package enum LaneFailure: Hashable, Sendable {
    /// The push service refuses the sender, most likely because of its key. An operator has to fix it.
    case refused
    /// The push service cannot be reached. It will recover.
    case unreachable
}
