internal import DocumentStore

/// What notifications share on their way, and must be kept apart by: a transport, an app, an environment.
///
/// A lane is the unit of fairness. One that stalls (an app whose key was refused, an environment that does not answer)
/// leaves the others their own queue and their own window.
public struct Lane: Sendable {
    public let transport: TransportName
    /// The app's bundle id; nil for the one the transport is configured with.
    public let topic: String?
    /// nil for the one the transport is configured with.
    public let environment: APNsEnvironment?

    public init(transport: TransportName, topic: String? = nil, environment: APNsEnvironment? = nil) {
        self.transport = transport
        self.topic = topic
        self.environment = environment
    }
}

extension Lane: CustomStringConvertible {
    /// For people: `apns/com.example.app/sandbox`, without what is `nil`.
    public var description: String {
        [transport.rawValue, topic, environment?.rawValue].compactMap(\.self).joined(separator: "/")
    }
}

/// Topics are compared by UTF-8 bytes, as tokens are.
extension Lane: Hashable {
    public static func == (left: Lane, right: Lane) -> Bool {
        guard left.transport == right.transport, left.environment == right.environment else {
            return false
        }
        guard let one = left.topic, let other = right.topic else {
            return left.topic == nil && right.topic == nil
        }
        return one.hasSameBytes(as: other)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transport)
        hasher.combine(topic)
        hasher.combine(environment)
    }
}

/// The service that made a token, and so the way to reach it. An open set: a transport is one more name.
public struct TransportName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apns = TransportName(rawValue: "apns")
    public static let fcm = TransportName(rawValue: "fcm")
    public static let emulated = TransportName(rawValue: "emulated")
}

/// Which of Apple's two push services a device token belongs to.
public enum APNsEnvironment: String, Sendable, CaseIterable {
    case sandbox
    case production
}
