import Testing

@testable import Messaging

@Suite("Digests of tokens")
struct TokenDigestTests {
    @Test("The digest of a token is the first half of its SHA-256, and its text can be read back")
    func text() throws {
        let digest = TokenDigest(RegistrationToken("abc"))
        #expect(digest.description == "ba7816bf8f01cfea414140de5dae2223")
        #expect(try #require(TokenDigest(digest.description)) == digest)
    }

    @Test("The digest of a token keeps its leading zeros")
    func zeros() throws {
        let text = "000000000000000a000000000000000b"
        #expect(TokenDigest(text)?.description == text)
    }

    @Test(
        "A text that is not 32 hexadecimal digits is not a digest",
        arguments: ["", "ba7816bf", String(repeating: "g", count: 32), "é"])
    func nonsense(text: String) { #expect(TokenDigest(text) == nil) }
}
