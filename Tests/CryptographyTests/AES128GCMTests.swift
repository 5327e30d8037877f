import Cryptography
import Testing

@Suite("AES-128-GCM")
struct AES128GCMTests {
    private let zeroKey = [UInt8](repeating: 0, count: 16)
    private let zeroNonce = [UInt8](repeating: 0, count: 12)

    /// Test cases 1 and 2 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
    @Test(
        "AES-128-GCM gives the known tags of the zero key",
        arguments: [
            (0, "58e2fccefa7e3061367f1d57a4e7455a"),
            (16, "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"),
        ])
    func knownTags(count: Int, sealed: String) throws {
        let plaintext = [UInt8](repeating: 0, count: count)
        let bytes = try AES128GCM.seal(plaintext, key: zeroKey, nonce: zeroNonce)
        #expect(bytes.hexadecimal == sealed)
        #expect(try AES128GCM.open(bytes, key: zeroKey, nonce: zeroNonce) == plaintext)
    }

    @Test("A change of any byte, of the key or of the nonce makes a text unreadable")
    func tampering() throws {
        let sealed = try AES128GCM.seal(Array("a secret".utf8), key: zeroKey, nonce: zeroNonce)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try AES128GCM.open(changed, key: zeroKey, nonce: zeroNonce) == nil)
        }
        var (otherKey, otherNonce) = (zeroKey, zeroNonce)
        otherKey[0] = 1
        otherNonce[0] = 1
        #expect(try AES128GCM.open(sealed, key: otherKey, nonce: zeroNonce) == nil)
        #expect(try AES128GCM.open(sealed, key: zeroKey, nonce: otherNonce) == nil)
        #expect(try AES128GCM.open(Array(sealed.dropLast()), key: zeroKey, nonce: zeroNonce) == nil)
        #expect(try AES128GCM.open(Array(sealed.prefix(15)), key: zeroKey, nonce: zeroNonce) == nil)
        #expect(try AES128GCM.open([], key: zeroKey, nonce: zeroNonce) == nil)
    }

    @Test("A key and a nonce of another length are refused")
    func lengths() {
        #expect(throws: CryptographyError.self) { try AES128GCM.seal([], key: zeroKey + [0], nonce: zeroNonce) }
        #expect(throws: CryptographyError.self) { try AES128GCM.seal([], key: zeroKey, nonce: [0]) }
    }
}
