/// The error of a notification, in the words of the
/// [Admin SDKs](https://firebase.google.com/docs/cloud-messaging/error-codes) without their prefix `messaging/`.
package struct MessagingErrorCode: RawRepresentable, Hashable, Sendable {
    /// The word, without the prefix.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The app was removed from the device, or the token was replaced.
    package static let registrationTokenNotRegistered = Self(rawValue: "registration-token-not-registered")
    /// The token does not belong to this service, app or environment.
    package static let invalidRegistrationToken = Self(rawValue: "invalid-registration-token")
    /// The message itself is invalid.
    package static let invalidArgument = Self(rawValue: "invalid-argument")
    /// The token belongs to another sender.
    package static let mismatchedCredential = Self(rawValue: "mismatched-credential")
    /// The push service limits the rate of messages.
    package static let messageRateExceeded = Self(rawValue: "message-rate-exceeded")
    /// The push service cannot be reached, or has no capacity.
    package static let serverUnavailable = Self(rawValue: "server-unavailable")
    /// The push service failed internally.
    package static let internalError = Self(rawValue: "internal-error")
    /// The push service refuses the sender's key.
    package static let thirdPartyAuthError = Self(rawValue: "third-party-auth-error")
    /// The error is unknown.
    package static let unknownError = Self(rawValue: "unknown-error")
}
