import Cryptography
import Testing

@testable import PushgateClient

@Suite("Keys that are derived from others")
struct KeyDerivationTests {
    @Test("HMAC has the code of RFC 4231's sixth case, whose key is longer than a block")
    func longKey() {
        let code = KeyDerivation.code(
            for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xAA, count: 131))
        #expect(
            HexadecimalText.lowercase(code) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("HMAC has OpenSSL's code for keys and messages of every length up to two blocks")
    func lengths() {
        let one: [UInt8] = [7]
        for count in 0...130 {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(KeyDerivation.code(for: bytes, key: one) == HMACSHA256.code(for: bytes, key: one), "\(count)")
            #expect(KeyDerivation.code(for: one, key: bytes) == HMACSHA256.code(for: one, key: bytes), "\(count)")
        }
    }

    @Test("HKDF has the keys of RFC 5869's first case")
    func firstCase() {
        let key = KeyDerivation.extract([UInt8](repeating: 0x0B, count: 22), salt: Array(0x00...0x0C))
        #expect(
            HexadecimalText.lowercase(key) == "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
        let bytes = KeyDerivation.expand(key, info: Array(0xF0...0xF9), count: 32)
        #expect(
            HexadecimalText.lowercase(bytes) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
        #expect(KeyDerivation.expand(key, info: Array(0xF0...0xF9), count: 12) == Array(bytes.prefix(12)))
    }

    @Test("Base64 of URLs is read back for every length, and other texts are not read")
    func base64() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) }
            let text = Base64URLText.encode(bytes)
            #expect(text == Base64URL.encode(bytes) && Base64URLText.decode(text) == bytes)
        }
        for text in ["a", "ab=", "ab==", "a+b/", "a b", "abcde", "größe", "\u{0}ab"] {
            #expect(Base64URLText.decode(text) == nil, "\(text)")
        }
    }
}
