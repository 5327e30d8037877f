package import Cryptography

/// The encryption of messages for a subscription (RFC 8291): the body of a request to a push service.
package enum MessageEncryption {
    /// The greatest number of bytes of a body that push services have to take (RFC 8291 §4).
    package static let maximumBodyByteCount = 4_096
    /// The size of a record that a header announces. The one record is shorter.
    private static let recordSize: UInt32 = 4_096
    /// The number of bytes by which a body is longer than its content and padding.
    static let overhead =
        EncryptedContent.headerByteCount + P256Point.byteCount + EncryptedContent.recordOverhead
    /// The greatest number of bytes of a message: 3,993.
    package static let maximumContentByteCount = maximumBodyByteCount - overhead

    /// Returns the body of a message.
    ///
    /// - Parameters:
    ///   - padding: The number of bytes that hide the length.
    ///   - senderKey: A key pair for this message alone.
    ///   - salt: 16 random bytes for this message alone.
    package static func encrypt(
        _ content: [UInt8], padding: Int = 0, for receiver: ReceiverKeys, senderKey: P256AgreementKey, salt: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        guard content.count + padding <= maximumContentByteCount else {
            throw CryptographyError(
                operation: "encrypt a message",
                reason: "\(content.count + padding) bytes are more than \(maximumContentByteCount)")
        }
        let secret = secret(
            of: try senderKey.sharedSecret(with: receiver.publicKey),
            authenticationSecret: receiver.authenticationSecret, receiver: receiver.publicKey,
            sender: senderKey.publicKey)
        return try EncryptedContent.encrypt(
            content, padding: padding, secret: secret, salt: salt, keyID: senderKey.publicKey.bytes,
            recordSize: recordSize)
    }

    /// Returns the input keying material of the content encoding (RFC 8291 §3.4).
    static func secret(
        of sharedSecret: [UInt8], authenticationSecret: [UInt8], receiver: P256Point, sender: P256Point
    ) -> [UInt8] {
        let key = HKDFSHA256.extract(sharedSecret, salt: authenticationSecret)
        return HKDFSHA256.expand(key, info: info + receiver.bytes + sender.bytes, count: SHA256.byteCount)
    }

    private static let info = Array("WebPush: info\0".utf8)
}
