import Cryptography
import Testing

@Suite("Base64url")
struct Base64URLTests {
    /// The vectors of RFC 4648 §10, without padding.
    static let vectors = [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("Base64url encodes and decodes the vectors of RFC 4648", arguments: vectors)
    func knownVectors(text: String, encoded: String) {
        #expect(Base64URL.encode(text.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test("Base64url uses '-' and '_' for the last two digits")
    func urlAlphabet() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(Base64URL.decode("-__-") == [0xFB, 0xFF, 0xFE])
    }

    @Test("Base64url decodes every byte at every position to the same byte")
    func roundTrip() {
        for count in 0..<8 {
            for value in UInt8.min...UInt8.max {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: Int(value) &* ($0 + 1) &+ $0) }
                #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            }
        }
    }

    @Test(
        "Base64url refuses a text that is not a canonical encoding",
        arguments: ["Zg==", "Z", "Zm9vY", "+__-", "Zm9v\n", "Zm 9v", "Zh", "Zm9", "Zm9vé"])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
