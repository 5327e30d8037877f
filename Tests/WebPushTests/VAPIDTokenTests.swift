import Cryptography
import Testing
import WebPush

@Suite("Tokens of the sender (RFC 8292)")
struct VAPIDTokenTests {
    /// The token of RFC 8292, section 2.4.
    private static let example =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9."
        + "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29t"
        + "In0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"

    @Test("A token has the header and the claims of RFC 8292's example, and a valid signature")
    func claims() throws {
        let key = try ES256PrivateKey.generate()
        let token = try VAPIDToken.signed(
            audience: "https://push.example.net", subject: "mailto:push@example.com", expiration: 1_453_523_768,
            with: key)
        let read = try #require(CompactJWS(token))
        let example = try #require(CompactJWS(Self.example))
        #expect(read.signingInput == example.signingInput)
        #expect(key.publicKey.isValid(read.signature, for: read.signingInput.utf8))
        #expect(!key.publicKey.isValid(example.signature, for: read.signingInput.utf8))
    }

    @Test("The field has the form of RFC 8292's example")
    func field() {
        let key = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        #expect(
            VAPIDToken.authorization(Self.example, publicKey: key) == "vapid t=\(Self.example), k=\(key)")
    }
}
