import Cryptography
import JSON
import Testing

@testable import WebPushService

@Suite("VAPID credentials of a request")
struct VAPIDTests {
    /// The example of RFC 8292 §2.4.
    static let token =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1"
        + "YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNj"
        + "jvW2L9OkSSHzvoD1oA"
    static let key = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

    private func cause(of authorization: String) -> String? {
        var verifier = VAPIDVerifier()
        do throws(PushRefusal) {
            _ = try verifier.claims(authorizing: authorization)
            return nil
        } catch {
            #expect(error.fault == .identityInvalid)
            return error.cause
        }
    }

    /// Returns credentials with the token and the key of the example.
    private func credentials(_ form: String) -> String {
        form.replacing("TOKEN", with: Self.token).replacing("KEY", with: Self.key)
    }

    @Test(
        "The example of RFC 8292 is valid, in each form of its parameters",
        arguments: [
            "vapid t=TOKEN, k=KEY", "VAPID k=KEY,t=TOKEN", "vapid t=\"TOKEN\" ,\tk=\"KEY\"",
            "vapid t=TOKEN, k=KEY, future=1",
        ])
    func example(form: String) throws {
        var verifier = VAPIDVerifier()
        let claims = try verifier.claims(authorizing: credentials(form))
        #expect(claims.audience == "https://push.example.net")
        #expect(claims.expiration == 1_453_523_768)
        #expect(claims.subject == "mailto:push@example.com")
        #expect(claims.publicKey == Self.key)
    }

    @Test("A result is the same from the cache")
    func cache() throws {
        var verifier = VAPIDVerifier()
        let claims = try verifier.claims(authorizing: "vapid t=\(Self.token), k=\(Self.key)")
        #expect(try verifier.claims(authorizing: "vapid t=\(Self.token), k=\(Self.key)") == claims)
        for _ in 0..<2 {
            #expect(throws: PushRefusal.self) { try verifier.claims(authorizing: "vapid t=a, k=b") }
        }
    }

    @Test(
        "Credentials in another form are refused with the form that is required",
        arguments: [
            "", "vapid", "Bearer TOKEN", "vapid t=TOKEN", "vapid k=KEY", "vapid TOKEN, KEY",
            "vapid t=TOKEN, k=KEY, k=KEY",
        ])
    func malformed(form: String) throws {
        #expect(try #require(cause(of: credentials(form))).contains("vapid t=TOKEN, k=KEY"))
    }

    @Test("The scheme of the draft is refused by name")
    func draft() throws {
        #expect(try #require(cause(of: "WebPush \(Self.token)")).contains("draft"))
    }

    @Test(
        "A token with another form, key or signature is refused with its fault",
        arguments: [
            ("vapid t=abc, k=KEY", "is not a JWT"), ("vapid t=TOKEN=, k=KEY", "is not a JWT"),
            ("vapid t=TOKENAA, k=KEY", "has a signature of 66 bytes"), ("vapid t=TOKEN, k=KEYx", "is no public key"),
            ("vapid t=TOKEN, k=BA", "is no public key"),
        ])
    func invalid(form: String, fault: String) throws {
        #expect(try #require(cause(of: credentials(form))).contains(fault))
    }

    @Test("A token with a changed signature is refused, and no cause contains a whole token")
    func changedSignature() throws {
        let changed = Self.token.replacing("i3CY", with: "i3CZ")
        let found = try #require(cause(of: "vapid t=\(changed), k=\(Self.key)"))
        #expect(found.contains("is not signed with the key"))
        #expect(!found.contains(Self.token.prefix(40)))
    }

    @Test("A token of another algorithm, or without a required claim, is refused with its fault")
    func claims() throws {
        let sample = try SamplePush()
        let audience: JSONValue = "https://push.example.net"
        let tokens = [
            (try sample.authorization(audience: audience, algorithm: "none"), "“alg”"),
            (try sample.authorization(audience: nil), "“aud”"),
            (try sample.authorization(audience: [audience]), "“aud”"),
            (try sample.authorization(audience: audience, expiration: "soon"), "“exp”"),
            (try sample.authorization(audience: audience, subject: 7), "“sub”"),
            (try sample.authorization(audience: audience, key: .generate()), "is not signed with the key"),
        ]
        for (authorization, fault) in tokens {
            #expect(try #require(cause(of: authorization)).contains(fault))
        }
        let fractional = try sample.authorization(audience: audience, expiration: 1_453_523_768.75)
        var verifier = VAPIDVerifier()
        #expect(try verifier.claims(authorizing: fractional).expiration == 1_453_523_768)
    }
}

@Suite("Subjects of VAPID tokens")
struct VAPIDSubjectTests {
    @Test(
        "A URL of a public host has no fault",
        arguments: [
            "mailto:push@example.com", "mailto:push@mail.example.co.uk?subject=Push", "https://example.com",
            "https://example.com:8443/contact", "https://example.com?x=1",
        ])
    func good(subject: String) {
        #expect(VAPIDSubject.fault(subject) == nil)
        #expect(VAPIDSubject.appleFault(subject) == nil)
    }

    @Test(
        "A text that is no URL has a fault for every service",
        arguments: [
            "", "push@example.com", "http://example.com", "mailto: push@example.com", "mailto:<push@example.com>",
            "mailto:Push Team <push@example.com>", "https:example.com",
        ])
    func malformed(subject: String) {
        #expect(VAPIDSubject.fault(subject) != nil)
        #expect(VAPIDSubject.appleFault(subject) != nil)
    }

    @Test(
        "A host that is not public has a fault for Apple alone",
        arguments: [
            "mailto:push@localhost", "mailto:push@mac.local", "mailto:push@example.invalid", "mailto:push",
            "https://localhost", "https://localhost:8443", "https://app.localhost/x", "https://MAC.LOCAL",
            "https://host@x.local/",
        ])
    func notPublic(subject: String) {
        #expect(VAPIDSubject.fault(subject) == nil)
        #expect(VAPIDSubject.appleFault(subject) != nil)
    }
}
