internal import Cryptography

/// The id of one notification to one target: a UUID (RFC 9562, version 8), the same over all attempts and restarts.
///
/// It is derived from the chunk's path and the target's place in it rather than stored, so that a notification sent
/// again after a crash carries the `apns-id` it had before.
public struct NotificationID: Hashable, Sendable, CustomStringConvertible {
    /// Canonical lower-case form, as `apns-id` wants it.
    public let description: String

    public init(chunk: ChunkID, index: Int) {
        description = SHA256.withDigest(of: "\(chunk)/\(index)".utf8, Self.text)
    }

    private static func text(of digest: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: textLength) { text in
            var position = 0
            for index in 0..<16 {
                // 8-4-4-4-12 digits, two a byte.
                if (4...10).contains(index), index.isMultiple(of: 2) {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let byte = byte(index, of: digest)
                text[position] = digits[Int(byte >> 4)]
                text[position + 1] = digits[Int(byte & 15)]
                position += 2
            }
            return position
        }
    }

    /// The digest's, but for the bits of version and variant.
    private static func byte(_ index: Int, of digest: UnsafeBufferPointer<UInt8>) -> UInt8 {
        switch index {
        case 6: digest[index] & 0x0F | 0x80
        case 8: digest[index] & 0x3F | 0x80
        default: digest[index]
        }
    }

    private static let textLength = 36
    private static let digits = Array("0123456789abcdef".utf8)
}
