/// A queue for one transport, app and environment.
///
/// A lane is the unit of fairness. If one stalls (an app whose key was refused, an environment that does not answer),
/// the others keep their own queue and their own window. Within a lane all targets share both: a transport to hosts
/// that clients name must not let one host stall the lane (see ``LaneFailure``).
package struct Lane: Hashable, Sendable {
    /// The transport that sends the lane's notifications.
    package let transport: TransportName
    /// The app and its environment.
    package let app: AppIdentity

    package init(transport: TransportName, app: AppIdentity = AppIdentity()) {
        self.transport = transport
        self.app = app
    }
}

extension Lane: CustomStringConvertible {
    /// A text for logs: `apns/com.example.app/sandbox`, without the parts that are `nil`.
    package var description: String {
        [transport.rawValue, app.bundleID, app.environment].compactMap(\.self).joined(separator: "/")
    }
}

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
    /// The emulator of this gateway.
    package static let emulated = TransportName(rawValue: "emulated")

    /// Returns the transport of a token by its form, for documents that do not name it. Tokens of clients get theirs
    /// from the push services, by ``TokenForms``.
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
