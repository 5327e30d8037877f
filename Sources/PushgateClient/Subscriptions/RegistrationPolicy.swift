internal import Foundation

/// When a registration that the gateway has is sent once more, though nothing about it has changed.
///
/// The gateway forgets phones that have not registered for 90 days, and may have been restored from a back-up that is older
/// than the registration. Registering again mends both.
public struct RegistrationPolicy: Hashable, Sendable {
    /// When its chat is opened: once this has passed. Zero sends at every opening.
    public var whenOpened: Duration
    /// At every other occasion, such as a launch: once this has passed, so that chats which are followed but never
    /// opened are not cleaned up.
    public var otherwise: Duration

    public init(whenOpened: Duration = .seconds(3_600), otherwise: Duration = .seconds(7 * 24 * 3_600)) {
        self.whenOpened = whenOpened
        self.otherwise = otherwise
    }

    /// - Parameters:
    ///   - openedAt: when the chat was opened, if that is the occasion.
    func isDue(_ registration: Registration?, fingerprint: String, openedAt: Date?, now: Date) -> Bool {
        guard let registration, registration.fingerprint == fingerprint else { return true }
        let age = Duration.seconds(now.timeIntervalSince(registration.time))
        guard age >= .zero else { return true }
        if let openedAt { return age >= whenOpened && registration.time < openedAt }
        return age >= otherwise
    }
}
