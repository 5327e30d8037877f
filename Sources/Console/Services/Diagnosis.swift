package import DocumentStore
package import Messaging

/// The answer to the question why a notification did not arrive: the cause in one sentence, and the facts behind it.
///
/// The gateway makes it in one place, ``Diagnoses``. The endpoint, the verb and the console's page show the same.
package struct Diagnosis: Sendable {
    /// The cause, for programs.
    package let cause: DiagnosisCause
    /// The cause and the next step in words, in one line.
    package let summary: String
    /// The devices that the question is about, up to a bound.
    package let devices: [DiagnosedDevice]
    /// Facts about the search, such as its bounds.
    package let notes: [String]

    init(_ cause: DiagnosisCause, _ summary: String, devices: [DiagnosedDevice] = [], notes: [String] = []) {
        self.cause = cause
        self.summary = summary
        self.devices = devices
        self.notes = notes
    }
}

/// A device with its last notifications, and the reason why they did not arrive.
package struct DiagnosedDevice: Sendable {
    /// The path of its registration, which may be gone.
    package let path: DocumentPath
    /// `true` if the registration exists.
    package let isRegistered: Bool
    /// The system that it is registered with; `nil` if it is not known.
    package let system: String?
    /// The name of the agent that it belongs to, or the agent's directory; `nil` if it belongs to none.
    package let agent: String?
    /// The address, as far as it may be shown; `nil` without a registration, or if that has no token.
    package let address: PushAddress?
    /// The platform that the app named.
    package let platform: String?
    /// The time of the first registration.
    package let registeredAt: Timestamp?
    /// The last sign of life: the last registration.
    package let lastSeenAt: Timestamp?
    /// The cause, for programs.
    package let cause: DiagnosisCause
    /// The cause and the next step in words.
    package let summary: String
    /// The newest notifications, with their meanings.
    package let notifications: [DiagnosedNotification]
}

/// A notification of a device, with its meaning.
package struct DiagnosedNotification: Sendable {
    /// The notification and its message.
    package let entry: DeviceHistory.Entry
    /// The meaning of its state: what happened, or why it waits.
    package let meaning: String
    /// `true` if it waits with all others of an app that is held up.
    package let isHeldUp: Bool
}

/// The causes for which a notification does not arrive, and the findings that it did as far as a gateway can know.
///
/// docs/why.md has the table.
package enum DiagnosisCause: String, CaseIterable, Sendable {
    /// The gateway takes no new messages.
    case gatewayFailing = "gateway-failing"
    /// Clients do not reach the gateway, whose certificate has ended.
    case certificateExpired = "certificate-expired"
    /// Nothing here has the name or the token.
    case notFound = "not-found"
    /// No device is subscribed.
    case noDevice = "no-device"
    /// The registration was removed.
    case registrationGone = "registration-gone"
    /// The document has no token.
    case noToken = "no-token"
    /// The push service of the token is switched off.
    case serviceOff = "service-off"
    /// The gateway does not send for the app.
    case appNotConfigured = "app-not-configured"
    /// The gateway's rules do not let it send to the address.
    case addressRefused = "address-refused"
    /// The system sends nothing to the device.
    case systemRefuses = "system-refuses"
    /// The push service refuses the sender.
    case senderRefused = "sender-refused"
    /// The push service cannot be reached.
    case serviceUnreachable = "service-unreachable"
    /// The push service limits the rate.
    case rateLimited = "rate-limited"
    /// An attempt failed, and is repeated.
    case attemptFailed = "attempt-failed"
    /// The notification is about to be sent.
    case queued = "queued"
    /// The push service does not take the token.
    case tokenInvalid = "token-invalid"
    /// The push service rejected the message.
    case messageRejected = "message-rejected"
    /// The message's time was over.
    case expired = "expired"
    /// A newer message replaced it.
    case superseded = "superseded"
    /// No message was accepted for the device.
    case noMessage = "no-message"
    /// No message was accepted for the device yet, and some wait for a later time.
    case scheduled = "scheduled"
    /// The notification is in the gateway's inbox.
    case inInbox = "in-inbox"
    /// The push service accepted the notification.
    case accepted = "accepted"

    /// `true` if nothing is wrong as far as the gateway can know.
    package var isGood: Bool { [.accepted, .inInbox, .queued, .scheduled].contains(self) }
}
