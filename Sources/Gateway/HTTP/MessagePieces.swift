internal import NIOCore

/// Divides bytes of HTTP/1.1 into pieces: wherever a message ends, a piece does (RFC 9112 §2.1, §6, §7.1).
///
/// A message without a body, and one in chunks, end behind an empty line. One with a `Content-Length` ends with its body.
struct MessagePieces {
    private var isLineEmpty = true

    /// Returns the length of the next piece, which may be all there is.
    ///
    /// - Parameter body: bytes missing of a body with a `Content-Length`; `nil` outside of one.
    mutating func next(of bytes: some Collection<UInt8>, body: Int?) -> Int {
        if let body {
            isLineEmpty = true
            return min(body, bytes.count)
        }
        var count = 0
        for byte in bytes {
            count += 1
            switch byte {
            case UInt8(ascii: "\n") where isLineEmpty: return count
            case UInt8(ascii: "\n"): isLineEmpty = true
            case UInt8(ascii: "\r"): break
            default: isLineEmpty = false
            }
        }
        return count
    }
}

/// Looks for the word `upgrade` in bytes that come in any portions.
struct UpgradeSearch {
    private static let word: StaticString = "upgrade"
    private var matched = 0

    /// - Returns: whether the word ends in these bytes.
    mutating func finds(in bytes: ByteBufferView.SubSequence) -> Bool {
        bytes.withContiguousStorageIfAvailable { finds(in: $0) } ?? true
    }

    private mutating func finds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let word = UnsafeBufferPointer(start: Self.word.utf8Start, count: Self.word.utf8CodeUnitCount)
        for byte in bytes {
            // No letter of the word comes twice, so a mismatch can only be a new beginning.
            let letter = byte | 0x20
            matched = letter == word[matched] ? matched + 1 : letter == word[0] ? 1 : 0
            if matched == word.count {
                matched = 0
                return true
            }
        }
        return false
    }
}
