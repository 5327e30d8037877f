import Cryptography
import Testing

@Suite("Compact JWS")
struct CompactJWSTests {
    @Test("A compact JWS is composed as in RFC 7515, appendix A.2")
    func composed() throws {
        let key = try RS256PrivateKey(pem: RS256Tests.examplePEM)
        let claims = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        let token = try CompactJWS(
            header: Array(#"{"alg":"RS256"}"#.utf8), payload: Array(claims.utf8), sign: key.signature)
        #expect(token.signingInput == RS256Tests.exampleInput)
        #expect(token.text == RS256Tests.exampleInput + "." + RS256Tests.exampleSignature)
    }

    @Test("Parsing a composed JWS returns the same parts and a valid signature")
    func takenApart() throws {
        let key = try ES256PrivateKey.generate()
        let composed = try CompactJWS(header: [1, 2], payload: [3], sign: key.signature)
        let read = try #require(CompactJWS(composed.text))
        #expect(read == composed)
        #expect(read.signingInput == "AQI.Aw")
        #expect(key.publicKey.isValid(read.signature, for: read.signingInput.utf8))
    }

    @Test("A change in any of the three parts of a JWS makes its signature invalid")
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

    @Test("A compact JWS with three empty parts is parsed")
    func emptyParts() throws {
        let token = try #require(CompactJWS(".."))
        #expect(token.header.isEmpty && token.payload.isEmpty && token.signature.isEmpty)
        #expect(token.signingInput == ".")
    }

    @Test(
        "A text without exactly three parts in strict base64url is not a JWS",
        arguments: [
            "", "AQ", "AQ.Ag", "AQ.Ag.Aw.BA", "AQ.Ag.Aw.", " AQ.Ag.Aw", "AQ.Ag.Aw\n", "AQ==.Ag.Aw", "AQ.A/.Aw",
            "AQ.Ah.Aw", "A.Ag.Aw",
        ])
    func malformed(text: String) {
        #expect(CompactJWS(text) == nil)
    }
}
