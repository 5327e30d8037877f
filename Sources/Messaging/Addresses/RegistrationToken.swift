import Cryptography
import DocumentStore

/// The text by which a push service knows one app on one device.
///
/// It is a secret: it allows sending to the device. Its description never contains it; logs and answers carry
/// ``fingerprint``.
package struct RegistrationToken: Sendable {
    /// The whole token, for the wire and the store only.
    package let value: String

    /// Creates a token.
    package init(_ value: String) { self.value = value }

    /// `true` if the token has the form of APNs' tokens: hexadecimal digits, of no fixed length. Any other text would
    /// form another path in a request to APNs.
    package var isHexadecimal: Bool { !value.isEmpty && value.utf8.allSatisfy(\.isHexadecimalDigit) }

    /// A text that identifies the token but cannot be used to send: the first eight hexadecimal digits of its
    /// SHA-256.
    package var fingerprint: String { String(SHA256.hexadecimal(of: value).prefix(8)) }
}

/// The comparison uses UTF-8 bytes: Swift's own equates texts that only look alike, such as é in one scalar and in
/// two.
extension RegistrationToken: Hashable {
    /// Returns `true` if the bytes are the same.
    package static func == (left: RegistrationToken, right: RegistrationToken) -> Bool {
        left.value.hasSameBytes(as: right.value)
    }

    /// Adds the token to the hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension RegistrationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint, as `token#0123abcd`.
    package var description: String { "token#\(fingerprint)" }
    /// The fingerprint, as `token#0123abcd`.
    package var debugDescription: String { description }
    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
