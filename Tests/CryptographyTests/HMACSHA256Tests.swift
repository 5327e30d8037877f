import Cryptography
import Testing

@Suite("HMAC-SHA256")
struct HMACSHA256Tests {
    /// The examples of RFC 4231 §4.2 to §4.8. The RFC truncates the code of case 5 to 128 bits.
    @Test(
        "HMAC-SHA256 gives the codes of RFC 4231",
        arguments: [
            Example(
                key: repeated(0x0B, 20), message: "Hi There".utf8,
                code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            Example(
                key: "Jefe".utf8, message: "what do ya want for nothing?".utf8,
                code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            Example(
                key: repeated(0xAA, 20), message: repeated(0xDD, 50),
                code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            Example(
                key: 1...25, message: repeated(0xCD, 50),
                code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            Example(
                key: repeated(0x0C, 20), message: "Test With Truncation".utf8,
                code: "a3b6167473100ee06e0c796c2955552b"),
            Example(
                key: repeated(0xAA, 131), message: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
                code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
            Example(
                key: repeated(0xAA, 131),
                message: """
                    This is a test using a larger than block-size key and a larger than block-size data. The key needs \
                    to be hashed before being used by the HMAC algorithm.
                    """.utf8,
                code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        ])
    func knownCodes(example: Example) {
        let code = HMACSHA256.code(for: example.message, key: example.key)
        #expect(code.count == HMACSHA256.byteCount)
        #expect(code.hexadecimal.prefix(example.code.count) == example.code)
    }

    /// The codes come from Python's `hmac`.
    @Test(
        "HMAC-SHA256 uses a key of up to 64 bytes as it is and hashes a longer one",
        arguments: [
            (63, "60becd3ada41eee378b576c2e0b3cc5d7392ae1f2e70e58b44aa88ab4a562149"),
            (64, "21cd586aeca0579d99a1c938127c92525a371f807bc5ba6eb78bc825bd4f2be3"),
            (65, "727b82fba264393c5d67fd6d6ad783e9019a1fa6a857fccb70f5852f04be5d5d"),
        ])
    func blockOfKey(count: Int, code: String) {
        #expect(HMACSHA256.code(for: "Hi There".utf8, key: repeated(0x0B, count)).hexadecimal == code)
    }

    @Test("HMAC-SHA256 of an empty message with an empty key gives a code")
    func empty() {
        let code = HMACSHA256.code(for: [], key: [])
        #expect(code.hexadecimal == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("An HMAC code is valid for its message and key only")
    func tampering() {
        let (message, key) = (Array("message".utf8), Array("key".utf8))
        let code = HMACSHA256.code(for: message, key: key)
        #expect(HMACSHA256.isValid(code, for: message, key: key))
        #expect(!HMACSHA256.isValid(code, for: message + [0], key: key))
        #expect(!HMACSHA256.isValid(code, for: message, key: Array("kez".utf8)))
        for index in [0, 15, 31] {
            var changed = code
            changed[index] ^= 1
            #expect(!HMACSHA256.isValid(changed, for: message, key: key))
        }
    }

    @Test("An HMAC code that is truncated or extended is invalid")
    func otherLengths() {
        let code = HMACSHA256.code(for: [1], key: [2])
        #expect(!HMACSHA256.isValid([], for: [1], key: [2]))
        #expect(!HMACSHA256.isValid(Array(code.prefix(16)), for: [1], key: [2]))
        #expect(!HMACSHA256.isValid(code + [0], for: [1], key: [2]))
    }

    @Test("HMAC-SHA256 reads collections without contiguous storage completely")
    func discontiguousInput() {
        let message = [Array("mes".utf8), Array("sage".utf8)].joined()
        let key = [Array("k".utf8), Array("ey".utf8)].joined()
        #expect(
            HMACSHA256.code(for: Array(message), key: Array(key))
                == HMACSHA256.code(for: Array("message".utf8), key: Array("key".utf8)))
        #expect(
            HMACSHA256.code(for: Array("egassem".utf8).reversed(), key: Array("yek".utf8).reversed())
                == HMACSHA256.code(for: Array("message".utf8), key: Array("key".utf8)))
    }

    struct Example: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String

        init(key: some Sequence<UInt8>, message: some Sequence<UInt8>, code: String) {
            self.key = Array(key)
            self.message = Array(message)
            self.code = code
        }
    }
}

private func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
