/// Base 16 in lower case (RFC 4648 §8).
package enum Hexadecimal {
    /// Returns two digits for each byte.
    package static func lowercase(_ bytes: some Collection<UInt8>) -> String {
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
