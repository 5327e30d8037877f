import Cryptography
import Testing

@Suite("The compact JWS")
struct CompactJWSTests {
    @Test("a token is composed as RFC 7515 has it (appendix A.2)")
    func composed() throws {
        let key = try RS256PrivateKey(pem: RS256Tests.examplePEM)
        let claims = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        let token = try CompactJWS(
            header: Array(#"{"alg":"RS256"}"#.utf8), payload: Array(claims.utf8), sign: key.signature)
        #expect(token.signingInput == RS256Tests.exampleInput)
        #expect(token.text == RS256Tests.exampleInput + "." + RS256Tests.exampleSignature)
    }

    @Test("what was composed is taken apart into the same, whichever algorithm signed")
    func takenApart() throws {
        let key = try ES256PrivateKey.generate()
        let composed = try CompactJWS(header: [1, 2], payload: [3], sign: key.signature)
        let read = try #require(CompactJWS(composed.text))
        #expect(read == composed)
        #expect(read.signingInput == "AQI.Aw")
        #expect(key.publicKey.isValid(read.signature, for: read.signingInput.utf8))
    }

    @Test("a change in any of the three parts is noticed by the key")
    func tampering() throws {
        let key = try RS256PrivateKey(pem: RS256Tests.examplePEM)
        let parts = try CompactJWS(header: [1], payload: [2], sign: key.signature).text.split(separator: ".")
        let other = try CompactJWS(header: [3], payload: [4], sign: key.signature).text.split(separator: ".")
        for index in 0..<3 {
            var changed = parts
            changed[index] = other[index]
            let token = try #require(CompactJWS(changed.joined(separator: ".")))
            #expect(!key.publicKey.isValid(token.signature, for: token.signingInput.utf8))
        }
    }

    @Test("parts may be empty; whether they may is for the reader to say")
    func emptyParts() throws {
        let token = try #require(CompactJWS(".."))
        #expect(token.header.isEmpty && token.payload.isEmpty && token.signature.isEmpty)
        #expect(token.signingInput == ".")
    }

    @Test(
        "what has not three parts in strict base64url is no token",
        arguments: [
            "", "AQ", "AQ.Ag", "AQ.Ag.Aw.BA", "AQ.Ag.Aw.", " AQ.Ag.Aw", "AQ.Ag.Aw\n", "AQ==.Ag.Aw", "AQ.A/.Aw",
            "AQ.Ah.Aw", "A.Ag.Aw",
        ])
    func malformed(text: String) {
        #expect(CompactJWS(text) == nil)
    }
}
