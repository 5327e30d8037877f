internal import Cryptography

/// The id of one notification to one target: a UUID (RFC 9562, version 8), the same over all attempts and restarts.
///
/// It is derived from the chunk's path and the target's place in it rather than stored, so that a notification sent
/// again after a crash carries the `apns-id` it had before.
public struct NotificationID: Hashable, Sendable, CustomStringConvertible {
    /// Canonical lower-case form, as `apns-id` wants it.
    public let description: String

    public init(chunk: ChunkID, index: Int) {
        var bytes = Array(SHA256.digest(of: Array("\(chunk)/\(index)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(Self.digits[Int(byte >> 4)])
            text.append(Self.digits[Int(byte & 15)])
        }
        description = String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
