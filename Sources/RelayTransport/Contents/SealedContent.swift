import Cryptography
import WebPush

/// The encryption of a message for the app (RFC 8291), which hides its length from the relay.
enum SealedContent {
    /// The sizes of plain texts. The greatest one, sealed and in base64url, fits Apple's 4,096 bytes with a neutral
    /// text.
    static let sizes = [256, 512, 1_024, 2_048, 2_816]
    /// The greatest number of bytes of a plain text.
    static let maximumByteCount = 2_816

    /// Returns the size that a plain text is padded to; `nil` if it is too long.
    static func size(for count: Int) -> Int? { sizes.first { $0 >= count } }

    /// Returns a sealed text in base64url.
    ///
    /// - Parameters:
    ///   - senderKey: A key pair for this message alone.
    ///   - salt: 16 random bytes for this message alone.
    static func seal(
        _ text: [UInt8], for receiver: ReceiverKeys, senderKey: P256AgreementKey, salt: [UInt8]
    ) throws(CryptographyError) -> String {
        guard let size = size(for: text.count) else {
            throw CryptographyError(
                operation: "seal a message", reason: "\(text.count) bytes are more than \(maximumByteCount)")
        }
        return Base64URL.encode(
            try MessageEncryption.encrypt(
                text, padding: size - text.count, for: receiver, senderKey: senderKey, salt: salt))
    }
}

/// The digest by which a relay lets messages replace each other, without their collapse id.
enum CollapseDigest {
    private static let byteCount = 16

    /// Returns the beginning of HMAC-SHA-256 of a collapse id under the key of the app's address: 22 characters.
    static func text(of collapseID: String, key: [UInt8]) -> String {
        Base64URL.encode(HMACSHA256.code(for: collapseID.utf8, key: key).prefix(byteCount))
    }
}
