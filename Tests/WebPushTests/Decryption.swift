import Cryptography

@testable import WebPush

/// The receiver's side of the encryption, which only browsers have.
extension MessageEncryption {
    /// Returns the message of a body, as the subscription's browser reads it.
    static func decrypt(
        _ body: [UInt8], with receiverKey: P256AgreementKey, authenticationSecret: [UInt8]
    ) throws(ContentError) -> [UInt8] {
        try EncryptedContent.decrypt(body) { keyID throws(ContentError) in
            guard let sender = try? P256Point(keyID), let shared = try? receiverKey.sharedSecret(with: sender) else {
                throw .unknownKey
            }
            return secret(
                of: shared, authenticationSecret: authenticationSecret, receiver: receiverKey.publicKey, sender: sender)
        }
    }
}

extension EncryptedContent {
    /// Returns the content of records.
    ///
    /// - Parameter secret: Returns the input keying material for the id of a key.
    static func decrypt(
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
}

extension ContentKeys {
    /// Returns the nonce of a record, whose numbers begin at 0.
    func nonce(ofRecord number: UInt64) -> [UInt8] {
        var nonce = nonce
        for place in 0..<8 { nonce[nonce.count - 1 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place)) }
        return nonce
    }

    /// Decrypts a record, and returns its content without its delimiter and padding.
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
        guard let end = plaintext.lastIndex(where: { $0 != 0 }), plaintext[end] == (isLast ? 2 : 1) else {
            throw .delimiter
        }
        return Array(plaintext[..<end])
    }
}

/// The reason why encrypted content cannot be read.
enum ContentError: Error, Equatable, Sendable {
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
