public import DocumentStore

/// What became of one attempt to send one notification: the only three things there are.
public enum Outcome: Hashable, Sendable {
    /// The push service took it.
    case accepted(Acceptance)
    /// It will never be taken: do not send it again.
    case rejected(Rejection)
    /// It was not taken this time: send it again later.
    case failed(Failure)

    /// Taken, and nothing learned from it.
    public static let accepted = Outcome.accepted(Acceptance())

    /// The same when what was refused is not the registration's token for its app, but something that the message brought
    /// along: a registration's error would have clients forget a good token, the message's own does not.
    public var withoutDeath: Outcome {
        guard case .rejected(let rejection) = self, rejection.death != nil else { return self }
        return .rejected(Rejection(code: .invalidArgument, reason: rejection.reason, apns: rejection.apns))
    }
}

/// A push service's yes.
public struct Acceptance: Hashable, Sendable {
    /// Where the token turned out to be known, when its address names no environment and it was not the first one tried.
    public let environment: APNsEnvironment?

    public init(environment: APNsEnvironment? = nil) { self.environment = environment }
}

/// A push service's final no, as a value.
public struct Rejection: Hashable, Sendable {
    public let code: MessagingErrorCode
    /// The service's own word, `Unregistered`, or ours in the same form.
    public let reason: String
    /// What Apple answered, to us or to who asked for us; nil when Apple has not judged the notification.
    public let apns: APNsVerdict?
    /// Whether the token is of no more use, and its registration to be removed.
    public let death: TokenDeath?

    public init(code: MessagingErrorCode, reason: String, apns: APNsVerdict? = nil, death: TokenDeath? = nil) {
        self.code = code
        self.reason = reason
        self.apns = apns
        self.death = death
    }
}

/// Apple's no in its own words, which FCM's clients are told beside FCM's.
public struct APNsVerdict: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// `BadDeviceToken`
    public let reason: String

    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// That a token is of no more use.
public enum TokenDeath: Hashable, Sendable {
    /// The app is gone from the device: since a time, where the service says so. A registration renewed after it lives.
    case certain(since: Timestamp?)
    /// The service does not know the token. It would say the same if our key or app were the wrong one, or the environment
    /// that was named.
    case doubtful
}

/// An attempt that came to nothing, and may fare better later.
public struct Failure: Hashable, Sendable {
    public let code: MessagingErrorCode
    public let reason: String
    /// How long the service asked to be left alone: about this target, or about the lane.
    public let retryAfter: Duration?
    /// Why everything of the lane would fare the same; nil when it is about this target alone.
    public let laneTrouble: LaneTrouble?

    public init(
        code: MessagingErrorCode, reason: String, retryAfter: Duration? = nil, laneTrouble: LaneTrouble? = nil
    ) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        self.laneTrouble = laneTrouble
    }
}

/// What holds a whole lane up.
public enum LaneTrouble: Hashable, Sendable {
    /// The push service refuses the sender: a key, most likely. Somebody has to put it right.
    case refused
    /// There is no connection to the push service. It will be back.
    case unreachable
}

/// Why a notification was not taken, in the words of the
/// [Admin SDKs](https://firebase.google.com/docs/cloud-messaging/error-codes), without their prefix `messaging/`.
public struct MessagingErrorCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The app is gone from the device, or the token was replaced.
    public static let registrationTokenNotRegistered = Self(rawValue: "registration-token-not-registered")
    /// Not a token of this service, app or environment.
    public static let invalidRegistrationToken = Self(rawValue: "invalid-registration-token")
    /// The message itself is wrong.
    public static let invalidArgument = Self(rawValue: "invalid-argument")
    /// The token belongs to another sender.
    public static let mismatchedCredential = Self(rawValue: "mismatched-credential")
    public static let messageRateExceeded = Self(rawValue: "message-rate-exceeded")
    public static let serverUnavailable = Self(rawValue: "server-unavailable")
    public static let internalError = Self(rawValue: "internal-error")
    /// The push service refuses the sender's key.
    public static let thirdPartyAuthError = Self(rawValue: "third-party-auth-error")
    public static let unknownError = Self(rawValue: "unknown-error")
}
