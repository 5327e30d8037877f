import Cryptography
import JSON
import Testing

@testable import Gateway

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

    @Test("are good for their project for an hour, and not a second longer")
    func lifetime() {
        let token = tokens().token(forProject: "pushgate")
        #expect(tokens().project(of: token) == "pushgate")
        #expect(tokens(after: 3_599).project(of: token) == "pushgate")
        #expect(tokens(after: 3_600).project(of: token) == nil)
    }

    @Test("are nothing to another gateway, which has another key")
    func otherKey() {
        let other = tokens(key: [UInt8](repeating: 2, count: 32))
        #expect(other.project(of: tokens().token(forProject: "pushgate")) == nil)
        #expect(tokens().project(of: other.token(forProject: "pushgate")) == nil)
    }

    @Test("are void when what they say was changed")
    func changedPayload() throws {
        let payload = try #require(Base64URL.decode(parts[0]))
        let claims = try JSONValue(parsing: payload)
        let longer: JSONValue = ["project": "pushgate", "expires": .integer(.max)]
        #expect(claims["project"] == "pushgate" && tokens().project(of: parts.joined(separator: ".")) != nil)
        #expect(tokens().project(of: Base64URL.encode(longer.serialized) + "." + parts[1]) == nil)
    }

    @Test("are void when their code was changed, cut short or left out")
    func changedCode() throws {
        var code = try #require(Base64URL.decode(parts[1]))
        let short = Base64URL.encode(code.dropLast())
        code[0] ^= 1
        for code in [Base64URL.encode(code), short, ""] {
            #expect(tokens().project(of: parts[0] + "." + code) == nil)
        }
    }

    @Test("are no other text", arguments: ["", ".", "owner", "a.b", "a.b.c", "..", "é.é"])
    func others(text: String) {
        #expect(tokens().project(of: text) == nil)
    }

    @Test("of another gateway, and those whose time is over, are told from what is no token")
    func faults() {
        let token = tokens().token(forProject: "pushgate")
        #expect(tokens(key: [UInt8](repeating: 2, count: 32)).fault(of: token) == .ofAnotherGateway)
        #expect(tokens(after: 3_600).fault(of: token) == .expired)
        for text in ["", ".", "owner", "a.b", parts[0], parts[0] + ".", parts[0] + "." + parts[1] + "AAAA"] {
            #expect(tokens().fault(of: text) == .notAToken)
        }
    }
}
