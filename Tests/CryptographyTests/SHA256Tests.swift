import Cryptography
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// The examples of FIPS 180-4, as published by NIST.
    @Test(
        "SHA-256 gives the digests that NIST publishes",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func knownDigests(text: String, digest: String) {
        #expect(SHA256.hexadecimal(of: text) == digest)
    }

    @Test("The bytes and the hexadecimal digits of a SHA-256 digest agree")
    func bytesAndDigits() {
        let digest = SHA256.digest(of: Array("abc".utf8))
        #expect(digest.count == SHA256.byteCount)
        #expect(digest.prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
        #expect(digest.suffix(2) == [0x15, 0xAD])
    }

    @Test("SHA-256 digests a collection without contiguous storage completely")
    func discontiguousInput() {
        let halves = [Array("a".utf8), Array("bc".utf8)].joined()
        #expect(SHA256.digest(of: Array(halves)) == SHA256.digest(of: Array("abc".utf8)))
        #expect(SHA256.digest(of: Array("cba".utf8).reversed()) == SHA256.digest(of: Array("abc".utf8)))
    }

    @Test("SHA-256 digests text as UTF-8")
    func textIsUTF8() {
        #expect(SHA256.hexadecimal(of: "\u{E9}") == SHA256.digest(of: [0xC3, 0xA9]).hexadecimal)
        #expect(SHA256.hexadecimal(of: "\u{E9}") != SHA256.hexadecimal(of: "e\u{301}"))
    }

    @Test("SHA-256 digests computed concurrently are correct")
    func concurrentDigests() async {
        let expected = (0..<64).map { SHA256.hexadecimal(of: "text \($0)") }
        let digests = await withTaskGroup(of: (Int, String).self) { group in
            for index in 0..<64 { group.addTask { (index, SHA256.hexadecimal(of: "text \(index)")) } }
            return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        for (index, digest) in expected.enumerated() { #expect(digests[index] == digest) }
    }
}
