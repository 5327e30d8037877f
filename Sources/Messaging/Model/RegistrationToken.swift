internal import Cryptography
internal import DocumentStore

/// The string by which a push service knows one app on one device.
///
/// Whoever holds it can send to that device, so it never prints itself: logs and answers carry ``fingerprint``.
public struct RegistrationToken: Sendable {
    /// The whole token, for the wire and the store only.
    public let value: String

    public init(_ value: String) { self.value = value }

    /// Whether it has the form of all of APNs' tokens, whose length is not fixed: hexadecimal digits. One of something else
    /// would be a path of its own there.
    public var isHexadecimal: Bool { !value.isEmpty && value.utf8.allSatisfy(\.isHexadecimalDigit) }

    /// Enough to recognise a token by, and not to send with: the first eight hexadecimal digits of its SHA-256.
    public var fingerprint: String { String(SHA256.hexadecimal(of: value).prefix(8)) }
}

/// Compared by UTF-8 bytes: Swift's own comparison takes two tokens for one that only look alike, such as é in one scalar and
/// in two.
extension RegistrationToken: Hashable {
    public static func == (left: RegistrationToken, right: RegistrationToken) -> Bool {
        left.value.hasSameBytes(as: right.value)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension RegistrationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "token#\(fingerprint)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
