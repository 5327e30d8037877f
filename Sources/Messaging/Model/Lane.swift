import DocumentStore

/// A queue for one transport, app and environment.
///
/// A lane is the unit of fairness. If one stalls (an app whose key was refused, an environment that does not answer),
/// the others keep their own queue and their own window.
package struct Lane: Sendable {
    /// The transport that sends the lane's notifications.
    package let transport: TransportName
    /// The app's bundle id; `nil` for the app that the transport is configured with.
    package let topic: String?
    /// The environment; `nil` for the one that the transport is configured with.
    package let environment: APNsEnvironment?

    /// Creates a lane.
    package init(transport: TransportName, topic: String? = nil, environment: APNsEnvironment? = nil) {
        self.transport = transport
        self.topic = topic
        self.environment = environment
    }
}

extension Lane: CustomStringConvertible {
    /// A text for logs: `apns/com.example.app/sandbox`, without the parts that are `nil`.
    package var description: String {
        [transport.rawValue, topic, environment?.rawValue].compactMap(\.self).joined(separator: "/")
    }
}

/// The comparison uses the UTF-8 bytes of topics, as for tokens.
extension Lane: Hashable {
    /// Returns `true` if transport, app and environment are the same.
    package static func == (left: Lane, right: Lane) -> Bool {
        guard left.transport == right.transport, left.environment == right.environment else {
            return false
        }
        guard let one = left.topic, let other = right.topic else {
            return left.topic == nil && right.topic == nil
        }
        return one.hasSameBytes(as: other)
    }

    /// Adds transport, app and environment to the hash.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(transport)
        hasher.combine(topic)
        hasher.combine(environment)
    }
}

/// The name of a transport, which is the push service that made a token. An open set: each new transport adds a name.
package struct TransportName: RawRepresentable, Hashable, Sendable {
    /// The name in documents, logs and metrics.
    package let rawValue: String

    /// Creates a name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Apple Push Notification service.
    package static let apns = TransportName(rawValue: "apns")
    /// Firebase Cloud Messaging.
    package static let fcm = TransportName(rawValue: "fcm")
    /// The emulator of this gateway.
    package static let emulated = TransportName(rawValue: "emulated")
}

/// The environment of a device token: one of Apple's two push services.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    /// For apps that Xcode installs.
    case sandbox
    /// For apps from the App Store, TestFlight and enterprise distribution.
    case production
}
