package import Cryptography
package import Messaging

/// The keys by which only one subscription can read its messages (RFC 8291 §2.1, §3.2). They are secrets.
package struct ReceiverKeys: Hashable, Sendable {
    /// The public key, `p256dh`.
    package let publicKey: P256Point
    /// The secret that messages prove the knowledge of, `auth`.
    package let authenticationSecret: [UInt8]

    /// The number of bytes of the secret.
    package static let secretByteCount = 16

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - p256dh: 65 bytes in base64url. The other alphabet and padding are taken too: many pages encode keys by
    ///     `btoa`.
    ///   - auth: 16 bytes in the same form.
    package init(p256dh: String, auth: String) throws(SubscriptionError) {
        let point = try Self.bytes(of: p256dh, count: P256Point.byteCount, "keys.p256dh")
        do {
            publicKey = try P256Point(point)
        } catch {
            throw SubscriptionError("keys.p256dh", "must be an uncompressed point on P-256, and is not on the curve")
        }
        authenticationSecret = try Self.bytes(of: auth, count: Self.secretByteCount, "keys.auth")
    }

    private static func bytes(
        of text: String, count: Int, _ member: String
    ) throws(SubscriptionError) -> [UInt8] {
        let text = unpadded(text)
        guard
            let bytes = Base64URL.decode(text)
                ?? Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_"))
        else { throw SubscriptionError(member, "must be \(count) bytes in base64url") }
        guard bytes.count == count else {
            throw SubscriptionError(member, "must be \(count) bytes in base64url, and has \(bytes.count)")
        }
        return bytes
    }

    private static func unpadded(_ text: String) -> Substring {
        guard text.utf8.count.isMultiple(of: 4), text.hasSuffix("=") else { return text[...] }
        return text.dropLast(text.hasSuffix("==") ? 2 : 1)
    }

    /// The public key in base64url: 87 characters.
    package var p256dh: String { Base64URL.encode(publicKey.bytes) }
    /// The secret in base64url: 22 characters.
    package var auth: String { Base64URL.encode(authenticationSecret) }
}

extension ReceiverKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    package var description: String { "<redacted>" }
    /// A placeholder.
    package var debugDescription: String { description }
    /// A mirror without the keys.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
