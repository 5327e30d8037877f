import Cryptography

/// The id of one notification to one target: a UUID (RFC 9562, version 8), the same for all attempts and after
/// restarts.
///
/// It is derived from the chunk's path and the target's index in it. It is not stored, so a notification that is sent
/// again after a crash has the same `apns-id`.
package struct NotificationID: Hashable, Sendable, CustomStringConvertible {
    /// The canonical form in lower case, as `apns-id` requires.
    package let description: String

    /// Creates the id of the target at an index of a chunk.
    package init(chunk: ChunkID, index: Int) { self = NotificationIDs(of: chunk)[index] }

    fileprivate init(_ digest: SHA256.Hasher) { description = digest.withDigest(Self.text) }

    private static func text(of digest: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: textLength) { text in
            var position = 0
            for index in 0..<16 {
                // 8-4-4-4-12 digits, two for each byte.
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

    /// Returns a byte of the digest, with the bits for version and variant set.
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

/// The ids of the notifications of a chunk: the SHA-256 of `chunk/index` each, of which the beginning is digested once.
struct NotificationIDs: Sendable {
    private let beginning: SHA256.Hasher

    init(of chunk: ChunkID) {
        var beginning = SHA256.Hasher()
        // The description of the chunk, and a slash.
        beginning.update(chunk.message.utf8)
        beginning.update("/".utf8)
        beginning.update(String(chunk.number).utf8)
        beginning.update("/".utf8)
        self.beginning = beginning
    }

    /// Returns the id of the target at an index.
    subscript(index: Int) -> NotificationID {
        var digest = beginning
        digest.update(String(index).utf8)
        return NotificationID(digest)
    }
}
