/// The visible part of an encrypted message: the header of `aes128gcm` (RFC 8188 §2.1), and the length of the record
/// that follows it. Only the browser can decrypt the record.
struct EncryptedBody: Hashable {
    /// The length of the header with a key of the sender in it.
    static let headerSize = 86
    /// The shortest record: one delimiter and the tag of AES-GCM (RFC 8188 §2).
    static let shortestRecord = 17

    let recordSize: UInt32
    /// The sender's key for this message.
    let key: UncompressedPoint
    /// The length of the encrypted record.
    let recordLength: Int

    /// Reads a body.
    ///
    /// - Throws: ``PushRefusal`` if a browser could not decrypt it, whatever its keys (RFC 8291 §4).
    init(_ body: [UInt8]) throws(PushRefusal) {
        guard body.count >= Self.headerSize + Self.shortestRecord else {
            throw Self.refusal(
                "has \(body.count) bytes; aes128gcm has at least \(Self.headerSize + Self.shortestRecord), with a header "
                    + "of \(Self.headerSize)")
        }
        recordSize = body[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        guard body[20] == UncompressedPoint.byteCount, let key = UncompressedPoint(body[21..<Self.headerSize]) else {
            throw Self.refusal(
                "has a key id of \(body[20]) bytes in its header; it takes the sender's key, \(UncompressedPoint.byteCount) bytes "
                    + "that begin with 4")
        }
        guard key.verifyingKey() != nil else { throw Self.refusal("has a sender's key that is not on the curve P-256") }
        self.key = key
        recordLength = body.count - Self.headerSize
        guard recordLength <= recordSize else {
            throw Self.refusal(
                "has a record of \(recordLength) bytes and a record size of \(recordSize): a message is one record, no "
                    + "longer than its size")
        }
    }

    /// `true` if the record size is not greater than the record, as RFC 8291 §4 requires and no browser checks.
    var fillsRecord: Bool { recordLength == recordSize }

    private static func refusal(_ cause: String) -> PushRefusal { PushRefusal(.encryption, "the body \(cause)") }
}
