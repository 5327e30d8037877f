package import Cryptography

/// The content encoding `aes128gcm` (RFC 8188): a header, and records that are encrypted with keys of their own.
package enum EncryptedContent {
    /// The number of bytes in a salt.
    package static let saltByteCount = 16
    /// The number of bytes in a header besides the id of the key.
    static let headerByteCount = saltByteCount + 4 + 1
    /// The number of bytes by which a record is longer than its content and padding: the delimiter and the tag.
    static let recordOverhead = 1 + AES128GCM.tagByteCount

    /// The last byte of a record's content, before its padding (RFC 8188 §2).
    private enum Delimiter {
        static let record: UInt8 = 1
        static let lastRecord: UInt8 = 2
    }

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
        plaintext.append(Delimiter.lastRecord)
        plaintext += repeatElement(0, count: padding)
        let record = try AES128GCM.seal(plaintext, key: keys.key, nonce: keys.nonce(ofRecord: 0))
        var body: [UInt8] = []
        body.reserveCapacity(headerByteCount + keyID.count + record.count)
        body += salt
        for place in 0..<4 { body.append(UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * place))) }
        body.append(keyIDCount)
        body += keyID
        body += record
        return body
    }

    /// Returns the content of records.
    ///
    /// - Parameter secret: Returns the input keying material for the id of a key.
    package static func decrypt(
        _ body: [UInt8], secret: (_ keyID: [UInt8]) throws(ContentError) -> [UInt8]
    ) throws(ContentError) -> [UInt8] {
        guard body.count >= headerByteCount else { throw .truncatedHeader }
        let salt = Array(body[..<saltByteCount])
        let recordSize = body[saltByteCount..<(saltByteCount + 4)].reduce(0) { $0 << 8 | Int($1) }
        let headerEnd = headerByteCount + Int(body[headerByteCount - 1])
        guard recordSize > recordOverhead else { throw .recordSize }
        guard body.count >= headerEnd else { throw .truncatedHeader }
        let keys = ContentKeys(secret: try secret(Array(body[headerByteCount..<headerEnd])), salt: salt)
        var (content, start, number) = ([UInt8](), headerEnd, UInt64(0))
        repeat {
            let end = min(start + recordSize, body.count)
            content += try keys.content(ofRecord: number, body[start..<end], isLast: end == body.count)
            (start, number) = (end, number + 1)
        } while start < body.count
        return content
    }

    /// Returns the content of a decrypted record, without its delimiter and padding.
    fileprivate static func content(of plaintext: [UInt8], isLast: Bool) throws(ContentError) -> [UInt8] {
        guard let end = plaintext.lastIndex(where: { $0 != 0 }),
            plaintext[end] == (isLast ? Delimiter.lastRecord : Delimiter.record)
        else { throw .delimiter }
        return Array(plaintext[..<end])
    }
}

/// The reason why encrypted content cannot be read.
package enum ContentError: Error, Equatable, Sendable {
    /// The body ends within its header.
    case truncatedHeader
    /// A record of the announced size has no content.
    case recordSize
    /// A record was changed, or encrypted with another key.
    case notAuthentic
    /// A record does not end with the byte that its place requires: records are missing, or follow the last one.
    case delimiter
    /// The id of the key names none.
    case unknownKey
    /// OpenSSL failed.
    case cryptography(CryptographyError)
}

/// The keys of the records of one content (RFC 8188 §2.2, §2.3).
struct ContentKeys {
    let key: [UInt8]
    private let nonce: [UInt8]

    init(secret: [UInt8], salt: [UInt8]) {
        let pseudorandomKey = HKDFSHA256.extract(secret, salt: salt)
        key = HKDFSHA256.expand(pseudorandomKey, info: Self.keyInfo, count: AES128GCM.keyByteCount)
        nonce = HKDFSHA256.expand(pseudorandomKey, info: Self.nonceInfo, count: AES128GCM.nonceByteCount)
    }

    private static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)

    /// Returns the nonce of a record, whose numbers begin at 0.
    func nonce(ofRecord number: UInt64) -> [UInt8] {
        var nonce = nonce
        for place in 0..<8 { nonce[nonce.count - 1 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place)) }
        return nonce
    }

    /// Decrypts a record.
    fileprivate func content(
        ofRecord number: UInt64, _ record: ArraySlice<UInt8>, isLast: Bool
    ) throws(ContentError) -> [UInt8] {
        let plaintext: [UInt8]?
        do {
            plaintext = try AES128GCM.open(Array(record), key: key, nonce: nonce(ofRecord: number))
        } catch {
            throw .cryptography(error)
        }
        guard let plaintext else { throw .notAuthentic }
        return try EncryptedContent.content(of: plaintext, isLast: isLast)
    }
}
