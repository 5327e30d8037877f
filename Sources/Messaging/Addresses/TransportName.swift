/// The name of a transport. An open set: each new transport adds a name.
///
/// A name stands for one push service (`apns`, `fcm`), for a family of services with one protocol (`webpush`), or for
/// no service (`emulated`).
package struct TransportName: RawRepresentable, Hashable, Sendable {
    /// The name in documents, logs and metrics.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Apple Push Notification service.
    package static let apns = TransportName(rawValue: "apns")
    /// Firebase Cloud Messaging.
    package static let fcm = TransportName(rawValue: "fcm")
    /// The cards of Live Activities: Apple's service, with channels and with updates that keep a distance.
    package static let liveActivity = TransportName(rawValue: "liveactivity")
    /// The relays of apps' authors.
    package static let relay = TransportName(rawValue: "relay")
    /// The emulator of this gateway.
    package static let emulated = TransportName(rawValue: "emulated")

    /// Returns the transport of a token by its form, for documents of older versions, which do not name it. Their rule
    /// never changes: tokens of clients get their transport from the push services, by ``TokenForms``.
    ///
    /// - An emulated token goes to the inbox of this gateway.
    /// - An even number of hexadecimal digits, at least 32, is an APNs device token (APNs fixes no length).
    /// - Any other token was made by FCM.
    init(ofToken token: String) {
        let token = RegistrationToken(token)
        if token.isEmulated {
            self = .emulated
        } else if token.isDeviceToken {
            self = .apns
        } else {
            self = .fcm
        }
    }
}
