import Testing

@testable import FirestoreExports

@Suite("CRC-32C")
struct CRC32CTests {
    /// The examples of RFC 3720, B.4, and the usual one of nine digits.
    @Test(
        "Known bytes have the published checksum",
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E), (Array((0..<32).reversed()), 0x113F_DB5C),
            (Array("123456789".utf8), 0xE306_9283), ([], 0),
        ] as [([UInt8], UInt32)])
    func published(bytes: [UInt8], checksum: UInt32) {
        var sum = CRC32C()
        bytes.withUnsafeBytes { sum.update($0) }
        #expect(sum.checksum == checksum)
        var single = CRC32C()
        for byte in bytes { single.update(byte) }
        #expect(single.checksum == checksum)
    }
}
