import Foundation

/// The ages after which an unchanged registration is sent again.
///
/// The gateway removes devices that have not registered for 90 days, and it may have been restored from a back-up
/// that is older than the registration. Registering again repairs both.
public struct RegistrationPolicy: Hashable, Sendable {
    /// The age after which opening the chat sends the registration again. With zero every opening sends it.
    public var whenOpened: Duration
    /// The age after which any other occasion, such as a launch, sends the registration again, so that chats that are
    /// never opened are not removed.
    public var otherwise: Duration

    /// Creates a policy. The defaults are an hour and seven days.
    public init(whenOpened: Duration = .seconds(3_600), otherwise: Duration = .seconds(7 * 24 * 3_600)) {
        self.whenOpened = whenOpened
        self.otherwise = otherwise
    }

    /// Returns `true` if the registration has to be sent.
    ///
    /// - Parameters:
    ///   - registration: The registration that the gateway accepted last; `nil` if there is none.
    ///   - fingerprint: The hash of the request that would be sent.
    ///   - openedAt: The time at which the chat was opened, if that is the occasion.
    ///   - now: The current time.
    func isDue(_ registration: AcceptedRegistration?, fingerprint: String, openedAt: Date?, now: Date) -> Bool {
        guard let registration, registration.fingerprint == fingerprint else { return true }
        let age = Duration.seconds(now.timeIntervalSince(registration.time))
        guard age >= .zero else { return true }
        if let openedAt { return age >= whenOpened && registration.time < openedAt }
        return age >= otherwise
    }
}
