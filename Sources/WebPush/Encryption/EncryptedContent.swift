package import Cryptography

/// The content encoding `aes128gcm` (RFC 8188): a header, and a record that is encrypted with a key of its own.
package enum EncryptedContent {
    /// The number of bytes in a salt.
    package static let saltByteCount = 16
    /// The number of bytes in a header besides the id of the key.
    static let headerByteCount = saltByteCount + 4 + 1
    /// The number of bytes by which a record is longer than its content and padding: the delimiter and the tag.
    static let recordOverhead = 1 + AES128GCM.tagByteCount

    /// The byte after the content of the last record, before its padding (RFC 8188 §2).
    private static let delimiterOfLastRecord: UInt8 = 2

    /// Returns content in one record.
    ///
    /// - Parameters:
    ///   - padding: The number of zero bytes that hide the length of the content.
    ///   - secret: The input keying material.
    ///   - salt: 16 random bytes, never used twice.
    ///   - recordSize: The size that the header announces: at least that of the record.
    package static func encrypt(
        _ content: [UInt8], padding: Int, secret: [UInt8], salt: [UInt8], keyID: [UInt8], recordSize: UInt32
    ) throws(CryptographyError) -> [UInt8] {
        let operation = "encrypt a content"
        guard salt.count == saltByteCount, let keyIDCount = UInt8(exactly: keyID.count) else {
            throw CryptographyError(
                operation: operation, reason: "it takes a salt of 16 bytes and the id of a key of at most 255")
        }
        guard content.count + padding + recordOverhead <= Int(recordSize) else {
            throw CryptographyError(
                operation: operation,
                reason: "\(content.count) bytes and \(padding) of padding do not fit a record of \(recordSize)")
        }
        let keys = ContentKeys(secret: secret, salt: salt)
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(content.count + 1 + padding)
        plaintext += content
        plaintext.append(delimiterOfLastRecord)
        plaintext += repeatElement(0, count: padding)
        let record = try AES128GCM.seal(plaintext, key: keys.key, nonce: keys.nonce)
        var body: [UInt8] = []
        body.reserveCapacity(headerByteCount + keyID.count + record.count)
        body += salt
        for place in 0..<4 { body.append(UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * place))) }
        body.append(keyIDCount)
        body += keyID
        body += record
        return body
    }
}

/// The key of one content, and the nonce of its first record (RFC 8188 §2.2, §2.3).
struct ContentKeys {
    let key: [UInt8]
    let nonce: [UInt8]

    init(secret: [UInt8], salt: [UInt8]) {
        let pseudorandomKey = HKDFSHA256.extract(secret, salt: salt)
        key = HKDFSHA256.expand(pseudorandomKey, info: Self.keyInfo, count: AES128GCM.keyByteCount)
        nonce = HKDFSHA256.expand(pseudorandomKey, info: Self.nonceInfo, count: AES128GCM.nonceByteCount)
    }

    private static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)
}
