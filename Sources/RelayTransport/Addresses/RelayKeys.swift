import Cryptography
package import Messaging
import Texts
package import WebPush

/// The secrets beside an address at a relay: the one by which the gateway may send there, and those that only the app
/// and the gateway know.
package struct RelayKeys: Hashable, Sendable {
    /// The secret that the relay has made for this gateway.
    let sendSecret: String
    /// The keys that only the app can open messages with (RFC 8291).
    package let receiver: ReceiverKeys
    /// The key of the digests by which messages replace each other.
    let collapseKey: [UInt8]

    private static let secretLengths = 16...256
    private static let collapseKeySizes = 16...64

    /// Reads the secrets by their names.
    package init(_ secrets: [String: String]) throws(SubscriptionError) {
        sendSecret = try Self.text(RelayField.sendSecret, in: secrets)
        guard Self.secretLengths.contains(sendSecret.utf8.count), sendSecret.utf8.allSatisfy(\.isBase64URL) else {
            throw SubscriptionError(RelayField.sendSecret, "must be 16 to 256 characters of base64url")
        }
        let publicKey = try Self.text(RelayField.publicKey, in: secrets)
        let secret = try Self.text(RelayField.authenticationSecret, in: secrets)
        do throws(SubscriptionError) {
            receiver = try ReceiverKeys(p256dh: publicKey, auth: secret)
        } catch {
            // Its errors name the members of a browser's subscription.
            throw SubscriptionError(error.member.map { String($0.split(separator: ".").last ?? "") }, error.requirement)
        }
        guard let key = Base64URL.decode(try Self.text(RelayField.collapseKey, in: secrets)),
            Self.collapseKeySizes.contains(key.count)
        else { throw SubscriptionError(RelayField.collapseKey, "must be 16 to 64 bytes in base64url") }
        collapseKey = key
    }

    private static func text(_ name: String, in secrets: [String: String]) throws(SubscriptionError) -> String {
        guard let text = secrets[name] else { throw SubscriptionError(name, "must be a text") }
        return text
    }

    /// The secrets by their names, in the spelling that stands for all.
    package var secrets: [String: String] {
        [
            RelayField.sendSecret: sendSecret, RelayField.publicKey: receiver.p256dh,
            RelayField.authenticationSecret: receiver.auth, RelayField.collapseKey: Base64URL.encode(collapseKey),
        ]
    }
}

extension RelayKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    package var description: String { "<redacted>" }
    /// A placeholder.
    package var debugDescription: String { description }
    /// A mirror without the keys.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
