/// Calls the closure with the bytes as one contiguous buffer. Copies only collections that are not stored
/// contiguously.
@inlinable
func withContiguousBytes<Failure: Error, R>(
    of bytes: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> R
) throws(Failure) -> R {
    let outcome = bytes.withContiguousStorageIfAvailable { buffer in
        Result { () throws(Failure) -> R in try body(buffer) }
    }
    if let outcome { return try outcome.get() }
    return try ContiguousArray(bytes).withUnsafeBufferPointer(body)
}

/// Base 16 in lower case (RFC 4648 §8).
enum Hexadecimal {
    static func lowercase(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { output in
            for (index, byte) in bytes.enumerated() {
                output.initializeElement(at: index * 2, to: digit(byte >> 4))
                output.initializeElement(at: index * 2 + 1, to: digit(byte & 0x0F))
            }
            return bytes.count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// Unpredictable bytes for secrets, from the system's generator.
package enum RandomBytes {
    /// Returns a number of random bytes.
    package static func generate(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
