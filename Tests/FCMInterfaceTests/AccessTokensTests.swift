import Cryptography
import JSON
import Testing

@testable import FCMInterface

@Suite("Access tokens")
struct AccessTokensTests {
    private static let now: Int64 = 1_767_225_600
    private static let key = [UInt8](repeating: 1, count: 32)

    private func tokens(after seconds: Int64 = 0, key: [UInt8] = key) -> AccessTokens {
        AccessTokens(key: key, now: { Self.now + seconds })
    }

    private var parts: [String] {
        tokens().token(forProject: "pushgate").split(separator: ".").map(String.init)
    }

    @Test("An access token is valid for its project for one hour")
    func lifetime() {
        let token = tokens().token(forProject: "pushgate")
        #expect(tokens().project(of: token) == "pushgate")
        #expect(tokens(after: 3_599).project(of: token) == "pushgate")
        #expect(tokens(after: 3_600).project(of: token) == nil)
    }

    @Test("An access token has the scopes and the account that it was made with, and messages alone by default")
    func scopes() {
        #expect(tokens().grant(of: tokens().token(forProject: "pushgate"))?.scopes == [.messaging])
        let token = tokens().token(forProject: "pushgate", scopes: [.firestore], account: "a")
        #expect(
            tokens().grant(of: token) == AccessTokens.Grant(project: "pushgate", scopes: [.firestore], account: "a"))
    }

    @Test("An access token of an earlier version, without scopes, is valid for messages alone")
    func earlierToken() {
        let claims: JSONValue = ["project": "pushgate", "expires": .integer(Self.now + 60)]
        let code = Base64URL.encode(HMACSHA256.code(for: claims.serialized, key: Self.key))
        let token = Base64URL.encode(claims.serialized) + "." + code
        #expect(tokens().grant(of: token)?.scopes == [.messaging])
    }

    @Test("An access token of a gateway with another key is invalid")
    func otherKey() {
        let other = tokens(key: [UInt8](repeating: 2, count: 32))
        #expect(other.project(of: tokens().token(forProject: "pushgate")) == nil)
        #expect(tokens().project(of: other.token(forProject: "pushgate")) == nil)
    }

    @Test("An access token with changed claims is invalid")
    func changedPayload() throws {
        let payload = try #require(Base64URL.decode(parts[0]))
        let claims = try JSONValue(parsing: payload)
        let longer: JSONValue = ["project": "pushgate", "expires": .integer(.max)]
        #expect(claims["project"] == "pushgate" && tokens().project(of: parts.joined(separator: ".")) != nil)
        #expect(tokens().project(of: Base64URL.encode(longer.serialized) + "." + parts[1]) == nil)
    }

    @Test("An access token whose code is changed, shortened or missing is invalid")
    func changedCode() throws {
        var code = try #require(Base64URL.decode(parts[1]))
        let short = Base64URL.encode(code.dropLast())
        code[0] ^= 1
        for code in [Base64URL.encode(code), short, ""] {
            #expect(tokens().project(of: parts[0] + "." + code) == nil)
        }
    }

    @Test("A text that is not an access token is invalid", arguments: ["", ".", "owner", "a.b", "a.b.c", "..", "é.é"])
    func others(text: String) {
        #expect(tokens().project(of: text) == nil)
    }

    @Test("A token of another gateway and an expired token are told apart from a text that is no token")
    func faults() {
        let token = tokens().token(forProject: "pushgate")
        #expect(tokens(key: [UInt8](repeating: 2, count: 32)).fault(of: token) == .ofAnotherGateway)
        #expect(tokens(after: 3_600).fault(of: token) == .expired)
        for text in ["", ".", "owner", "a.b", parts[0], parts[0] + ".", parts[0] + "." + parts[1] + "AAAA"] {
            #expect(tokens().fault(of: text) == .notAToken)
        }
    }
}

extension AccessTokens {
    /// Returns the project that a token is valid for; `nil` if it is not valid.
    fileprivate func project(of token: String) -> String? { grant(of: token)?.project }
}
