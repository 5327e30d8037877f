import Cryptography
import DocumentStore
import Texts

/// The text by which a push service knows one app on one device.
///
/// It is a secret: it allows sending to the device. Its description never contains it; logs and answers carry
/// ``fingerprint``. Tokens are compared in their ``canonical`` spelling.
package struct RegistrationToken: Sendable {
    /// The whole token as it was given, for the wire and the store only.
    package let value: String
    /// `true` if this is the canonical spelling. It is known from the beginning, because each comparison needs it.
    package let isCanonical: Bool

    /// Takes any text; ``TokenForms`` has the forms of the push services' tokens.
    package init(_ value: String) {
        self.value = value
        isCanonical = !(value.utf8.contains(where: \.isASCIIUppercaseLetter) && Self.isDeviceToken(value))
    }

    /// `true` if the token has the form of APNs' tokens: hexadecimal digits, of no fixed length. Any other text would
    /// form another path in a request to APNs.
    package var isHexadecimal: Bool { Self.isHexadecimal(value) }

    /// `true` if the token has the form of a device token at APNs: an even number of hexadecimal digits, 32 or more.
    package var isDeviceToken: Bool { Self.isDeviceToken(value) }

    private static func isHexadecimal(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isASCIIHexDigit)
    }

    private static func isDeviceToken(_ text: String) -> Bool {
        text.utf8.count >= 32 && text.utf8.count.isMultiple(of: 2) && isHexadecimal(text)
    }

    /// `true` if the token is for this gateway's inbox, whatever its configuration: it begins with `emulated:`.
    package var isEmulated: Bool { value.utf8.starts(with: "emulated:".utf8) }

    /// The beginning of an address at the relay of an app's author, `relay:HOST/ID`.
    package static let relayPrefix = "relay:"

    /// `true` if the token begins as an address at the relay of an app's author does, with or without its secrets.
    package var isAtRelay: Bool {
        // Also in capitals, which the relay's form then refuses with its reason.
        value.utf8.count >= Self.relayPrefix.utf8.count
            && zip(value.utf8, Self.relayPrefix.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    /// A text that identifies the token but cannot be used to send: the first eight hexadecimal digits of its
    /// SHA-256.
    package var fingerprint: String { String(digest.prefix(8)) }

    /// The hexadecimal digits of the SHA-256 of the canonical spelling: the id of a device that has no id but its
    /// token, because ids are shown and tokens are not.
    package var digest: String { SHA256.hexadecimal(of: canonical.value) }
}

/// The spelling: a device token's hexadecimal digits mean the same in any case. All other tokens are case-sensitive.
extension RegistrationToken {
    /// The token in the spelling that stands for all: a device token has lower-case letters.
    package var canonical: RegistrationToken { isCanonical ? self : RegistrationToken(value.lowercased()) }
}

/// The comparison uses UTF-8 bytes of the canonical spelling: Swift's own equates texts that only look alike, such as é
/// in one scalar and in two.
extension RegistrationToken: Hashable {
    /// Returns `true` if both are the same token.
    package static func == (left: RegistrationToken, right: RegistrationToken) -> Bool {
        left.canonical.value.hasSameBytes(as: right.canonical.value)
    }

    /// Adds the token to the hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(canonical.value) }
}

extension RegistrationToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint, as `token#0123abcd`.
    package var description: String { "token#\(fingerprint)" }
    /// The fingerprint, as `token#0123abcd`.
    package var debugDescription: String { description }
    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }
}
