import Foundation

/// A content that a gateway has sealed for this installation (RFC 8291), in one record (RFC 8188).
struct SealedContent {
    private static let saltByteCount = 16
    private static let publicKeyByteCount = 65
    private static let tagByteCount = 16
    /// The number of bytes before the record: salt, size of records, length and id of the sender's key.
    private static let headerByteCount = saltByteCount + 4 + 1 + publicKeyByteCount

    private let salt: [UInt8]
    private let sender: [UInt8]
    private let record: [UInt8]

    /// Reads the form; `nil` for other bytes, and for a content in several records.
    init?(_ bytes: [UInt8]) {
        // The record has at least its delimiter and its tag.
        guard bytes.count > Self.headerByteCount + Self.tagByteCount,
            Int(bytes[Self.saltByteCount + 4]) == Self.publicKeyByteCount
        else { return nil }
        let recordSize = bytes[Self.saltByteCount..<(Self.saltByteCount + 4)].reduce(0) { $0 << 8 | Int($1) }
        salt = Array(bytes.prefix(Self.saltByteCount))
        sender = Array(bytes[(Self.saltByteCount + 5)..<Self.headerByteCount])
        record = Array(bytes.dropFirst(Self.headerByteCount))
        guard record.count <= recordSize else { return nil }
    }

    /// Returns the content; `nil` if it was not sealed for these keys, or was changed since.
    func opened(by keys: RelayKeys, _ cryptography: any RelayCryptography) -> [UInt8]? {
        guard let receiver = try? cryptography.publicKey(of: keys.sealing),
            let shared = try? cryptography.sharedSecret(of: keys.sealing, with: Data(sender))
        else { return nil }
        let pairKey = KeyDerivation.extract(Array(shared), salt: Array(keys.authentication))
        let secret = KeyDerivation.expand(pairKey, info: Self.keyInfo + Array(receiver) + sender, count: 32)
        let recordKey = KeyDerivation.extract(secret, salt: salt)
        let key = KeyDerivation.expand(recordKey, info: Self.contentKeyInfo, count: 16)
        let nonce = KeyDerivation.expand(recordKey, info: Self.nonceInfo, count: 12)
        guard let padded = try? cryptography.open(Data(record), key: Data(key), nonce: Data(nonce)) else { return nil }
        return Self.withoutPadding(Array(padded))
    }

    /// Returns the bytes before the delimiter of a last record (RFC 8188 §2); `nil` if there is none.
    private static func withoutPadding(_ bytes: [UInt8]) -> [UInt8]? {
        guard let delimiter = bytes.lastIndex(where: { $0 != 0 }), bytes[delimiter] == 2 else { return nil }
        return Array(bytes[..<delimiter])
    }

    private static let keyInfo = Array("WebPush: info\0".utf8)
    private static let contentKeyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)
}
