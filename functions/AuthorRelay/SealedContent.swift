import Cryptography

/// The content of a message as the sender has sealed it for an installation: one record of RFC 8188, with the sender's
/// key as RFC 8291 has it.
struct SealedContent: Hashable, Sendable {
    /// The salt, the size of the record, the length of the key id, and a point as the key id (RFC 8188 §2.1).
    private static let headerBytes = 86
    /// The mark of the last record, and the code of the cipher.
    private static let additionalBytes = 17
    /// The largest plain text.
    private static let maximumPlainBytes = 2_816
    /// The largest sealed content, in bytes. With it a notification fits into Apple's 4,096 bytes.
    static let maximumBytes = headerBytes + maximumPlainBytes + additionalBytes
    /// The largest sealed content of a card: a plain text of 2,048 bytes. Its attributes and dates need more room.
    static let maximumCardBytes = headerBytes + 2_048 + additionalBytes
    private static let keyIDLength = (offset: 20, value: UInt8(P256Point.byteCount))

    /// The bytes in base64url, for the notification.
    let text: String

    /// The number of bytes.
    var byteCount: Int { text.utf8.count * 3 / 4 }

    /// Reads the text. A text of another form is most likely not sealed, and is not kept.
    init(_ text: String?) throws(RelayError) {
        guard let text, let bytes = Base64URL.decode(text) else { throw .invalid("sealed must be base64url") }
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge("sealed", Self.maximumBytes) }
        guard bytes.count > Self.headerBytes + Self.additionalBytes,
            bytes[Self.keyIDLength.offset] == Self.keyIDLength.value, bytes[Self.keyIDLength.offset + 1] == 4
        else { throw .invalid("sealed must be one record of aes128gcm with the sender's key (RFC 8291)") }
        self.text = text
    }
}
