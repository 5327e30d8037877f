import Cryptography
import Foundation
import Instance
import JSON
import TestDoubles
import Testing

@testable import FCMInterface

@Suite("Assertions of service accounts", .timeLimit(.minutes(10)))
struct AssertionTests {
    private static let now: Int64 = 1_767_225_600

    /// A service account of a gateway, and the key that its client signs with.
    private struct Stage {
        let accounts: ServiceAccounts
        let log: CollectedLog
        let keyID: String
        let email: JSONValue
        let key: RS256PrivateKey

        /// The path of the account's file.
        var path: String { accounts.files.file(keyID: keyID).path }

        /// - Parameters:
        ///   - header: The members that differ from a valid header; null removes a member. `claims` works the same way.
        ///   - signer: The key that signs; the account's own key if `nil`.
        func accept(
            header: [String: JSONValue] = [:], claims: [String: JSONValue] = [:], key signer: RS256PrivateKey? = nil
        ) throws -> Assertion {
            let header = Self.merged(["alg": "RS256", "typ": "JWT", "kid": .string(keyID)], header)
            let claims = Self.merged(
                [
                    "iss": email, "aud": "https://oauth2.googleapis.com/token", "iat": .integer(now),
                    "exp": .integer(now + 3_600), "scope": "x",
                ], claims)
            let token = try CompactJWS(header: header, payload: claims, sign: (signer ?? key).signature)
            return try Assertion(token.text, accounts: accounts, now: now)
        }

        private static func merged(_ good: [String: JSONValue], _ changes: [String: JSONValue]) -> [UInt8] {
            let all = good.merging(changes) { $1 }.filter { $0.value != .null }
            return JSONValue.object(JSONObject(all.map { ($0.key, $0.value) })).serialized
        }
    }

    private func withStage(
        scopes: Set<AccessScope> = [.messaging], _ body: (Stage) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { parent in
            let files = ServiceAccountFiles(in: try DataDirectory(creating: parent + "/data"))
            let account = try files.create(project: "pushgate", url: "http://127.0.0.1:8080", scopes: scopes)
            let log = CollectedLog()
            try body(
                Stage(
                    accounts: ServiceAccounts(files: files, logger: log.logger), log: log,
                    keyID: try #require(account["private_key_id"]?.string),
                    email: try #require(account["client_email"]),
                    key: try RS256PrivateKey(pem: try #require(account["private_key"]?.string))))
        }
    }

    @Test("A valid assertion gives the project of its account")
    func good() async throws {
        try await withStage { stage in
            let assertion = try stage.accept()
            #expect(assertion.project == "pushgate")
            let withoutIssue = try stage.accept(claims: ["iat": .null])
            #expect(withoutIssue.project == "pushgate")
        }
    }

    @Test(
        "An assertion gets Firestore's scope only if it asks for it and its account was made for it",
        arguments: [
            ([.messaging], "https://www.googleapis.com/auth/datastore", [.messaging]),
            ([.messaging, .firestore], "x", [.messaging]),
            ([.messaging, .firestore], "x https://www.googleapis.com/auth/datastore", [.messaging, .firestore]),
            ([.firestore], "https://www.googleapis.com/auth/cloud-platform", [.firestore]),
            ([.firestore], "https://www.googleapis.com/auth/firebase.messaging", []),
        ] as [(Set<AccessScope>, String, Set<AccessScope>)])
    func scopes(made: Set<AccessScope>, asked: String, granted: Set<AccessScope>) async throws {
        try await withStage(scopes: made) { stage in
            let assertion = try stage.accept(claims: ["scope": .string(asked)])
            #expect(assertion.scopes == granted)
        }
    }

    @Test(
        "An assertion that has a member twice is refused, even if both values are valid",
        arguments: [
            (header: #"{"alg":"RS256","kid":"KID","alg":"RS256"}"#, claims: nil),
            (#"{"alg":"RS256","kid":"KID","kid":"KID"}"#, nil),
            (nil, #"{"iss":"EMAIL","aud":"https://a/token","exp":1767226000,"exp":1767226000}"#),
            (nil, #"{"iss":"EMAIL","iss":"EMAIL","aud":"https://a/token","exp":1767226000}"#),
            (nil, #"{"iss":"EMAIL","aud":"https://a/token","exp":1767226000,"x":{"a":1,"a":1}}"#),
        ] as [(header: String?, claims: String?)])
    func repeatedMembers(header: String?, claims: String?) async throws {
        try await withStage { stage in
            func token(_ header: String, _ claims: String) throws -> String {
                let values = [header, claims].map {
                    Array(
                        $0.replacing("KID", with: stage.keyID).replacing("EMAIL", with: stage.email.string ?? "").utf8)
                }
                return try CompactJWS(header: values[0], payload: values[1], sign: stage.key.signature).text
            }
            let good = (
                header: #"{"alg":"RS256","kid":"KID"}"#,
                claims: #"{"iss":"EMAIL","aud":"https://a/token","exp":1767226000}"#
            )
            let accepted = try Assertion(token(good.header, good.claims), accounts: stage.accounts, now: Self.now)
            #expect(accepted.project == "pushgate")
            let text = try token(header ?? good.header, claims ?? good.claims)
            let error = #expect(throws: TokenError.self) {
                try Assertion(text, accounts: stage.accounts, now: Self.now)
            }
            #expect(error?.code == "invalid_grant" && error?.description.contains("twice") == true)
        }
    }

    @Test("An assertion whose clock differs by less than five minutes is accepted")
    func skew() async throws {
        try await withStage { stage in
            let late = try stage.accept(
                claims: ["iat": .integer(Self.now - 3_899), "exp": .integer(Self.now - 299)])
            #expect(late.project == "pushgate")
            let early = try stage.accept(claims: ["iat": .integer(Self.now + 299), "exp": .integer(Self.now + 3_899)])
            #expect(early.project == "pushgate")
        }
    }

    @Test(
        "An assertion whose times are missing, past, in the future or over an hour apart is refused",
        arguments: [
            ["exp": nil], ["exp": now - 301], ["iat": now + 301, "exp": now + 3_600], ["exp": now + 3_601],
            ["iat": nil, "exp": now + 3_601], ["iat": now - 3_600, "exp": now + 1], ["exp": .max], ["exp": .min],
            ["iat": .max], ["iat": .min], ["iat": .max, "exp": .max], ["iat": .min, "exp": .max],
        ] as [[String: Int64?]])
    func times(claims: [String: Int64?]) async throws {
        try await withStage { stage in
            let claims = claims.mapValues { $0.map(JSONValue.integer) ?? .null }
            let error = #expect(throws: TokenError.self) { try stage.accept(claims: claims) }
            #expect(error?.code == "invalid_grant")
        }
    }

    @Test(
        "An assertion with an unknown key id, another algorithm or a critical header is refused",
        arguments: [
            ["kid": "0123456789abcdef0123456789abcdef01234567"], ["kid": ""], ["kid": 1],
            ["kid": "../x"], ["kid": "../service-account"], ["alg": "none"], ["alg": "HS256"], ["alg": "ES256"],
            ["alg": .null], ["crit": ["exp"]], ["crit": []], ["crit": "b64", "b64": false],
        ] as [[String: JSONValue]])
    func header(header: [String: JSONValue]) async throws {
        try await withStage { stage in
            let error = #expect(throws: TokenError.self) { try stage.accept(header: header) }
            #expect(error?.code == "invalid_grant")
        }
    }

    @Test(
        "An assertion whose nbf is in the future or is no number is refused",
        arguments: [now + 301, .max, nil] as [Int64?])
    func notBefore(time: Int64?) async throws {
        try await withStage { stage in
            let error = #expect(throws: TokenError.self) {
                try stage.accept(claims: ["nbf": time.map(JSONValue.integer) ?? "tomorrow"])
            }
            #expect(error?.code == "invalid_grant")
            let good = try stage.accept(claims: ["nbf": .integer(Self.now + 299)])
            #expect(good.project == "pushgate")
        }
    }

    @Test("A long key id is refused as unknown, and logs nothing", arguments: [129, 5_000])
    func longKeyID(length: Int) async throws {
        try await withStage { stage in
            let error = #expect(throws: TokenError.self) {
                try stage.accept(header: ["kid": .string(String(repeating: "a", count: length))])
            }
            #expect(error?.description.contains("does not know") == true)
            #expect(stage.log.lines == [])
        }
    }

    @Test("An assertion without a key id is verified with each key of its issuer, and with no other key")
    func withoutKeyID() async throws {
        let stranger = try RS256PrivateKey.generate()
        try await withStage { stage in
            let files = stage.accounts.files
            let others = try (0..<2).map { _ in
                try files.create(project: "pushgate", url: "http://127.0.0.1:8080")
            }
            let elsewhere = try files.create(project: "other", url: "http://127.0.0.1:8080")
            let unnamed = try stage.accept(header: ["kid": .null])
            #expect(unnamed.keyID == stage.keyID)
            for account in others {
                let key = try RS256PrivateKey(pem: try #require(account["private_key"]?.string))
                let assertion = try stage.accept(header: ["kid": .null], key: key)
                #expect(assertion.keyID == account["private_key_id"]?.string && assertion.project == "pushgate")
            }
            // The key of an existing account whose e-mail address is not the assertion's issuer.
            let other = try RS256PrivateKey(pem: try #require(elsewhere["private_key"]?.string))
            for key in [stranger, other] {
                let error = #expect(throws: TokenError.self) { try stage.accept(header: ["kid": .null], key: key) }
                #expect(error?.code == "invalid_grant" && error?.description.contains("kid") == true)
            }
            for issuer in ["somebody@example.com", .null, 1] as [JSONValue] {
                let error = #expect(throws: TokenError.self) {
                    try stage.accept(header: ["kid": .null], claims: ["iss": issuer])
                }
                #expect(error?.description.contains("does not know the assertion's issuer") == true)
            }
        }
    }

    @Test("An assertion without a key id ignores another account's damaged file, and fails if its own is deleted")
    func withoutKeyIDBesideDamage() async throws {
        try await withStage { stage in
            let other = try stage.accounts.files.create(project: "pushgate", url: "http://127.0.0.1")
            let otherID = try #require(other["private_key_id"]?.string)
            let otherPath = stage.accounts.files.file(keyID: otherID).path
            try "{}".write(toFile: otherPath, atomically: true, encoding: .utf8)
            let unnamed = try stage.accept(header: ["kid": .null])
            #expect(unnamed.keyID == stage.keyID)
            #expect(stage.log.lines.last?.contains(otherPath) == true)
            try FileManager.default.removeItem(atPath: stage.path)
            #expect(throws: TokenError.self) { try stage.accept(header: ["kid": .null]) }
        }
    }

    @Test(
        "An assertion for a token endpoint is accepted with any host and path prefix",
        arguments: [
            "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
            "https://accounts.google.com/o/oauth2/token", "http://127.0.0.1:8080/token",
            "https://push.example.com/fcm/token", "https://push.example.com/token?a=b",
            ["https://example.com/", "https://oauth2.googleapis.com/token"],
        ] as [JSONValue])
    func audience(audience: JSONValue) async throws {
        try await withStage { stage in
            let assertion = try stage.accept(claims: ["aud": audience])
            #expect(assertion.project == "pushgate")
        }
    }

    @Test(
        "An assertion with another audience, or with none, is refused",
        arguments: [
            "https://fcm.googleapis.com/", "https://oauth2.googleapis.com", "https://oauth2.googleapis.com/",
            "https://oauth2.googleapis.com/tokens", "https://oauth2.googleapis.com/mytoken",
            "https://oauth2.googleapis.com/token/", "https://example.com/?/token", "https://example.com/#/token",
            "/token", "token", "https:///token", "", .null, 1, [], ["https://example.com/"],
        ] as [JSONValue])
    func otherAudience(audience: JSONValue) async throws {
        try await withStage { stage in
            let error = #expect(throws: TokenError.self) { try stage.accept(claims: ["aud": audience]) }
            #expect(error?.code == "invalid_grant" && error?.description.contains("audience") == true)
        }
    }

    @Test("An assertion with a known key id and the signature of another key is refused")
    func otherKey() async throws {
        let other = try RS256PrivateKey.generate()
        try await withStage { stage in
            let error = #expect(throws: TokenError.self) { try stage.accept(key: other) }
            #expect(error?.description.contains("signature") == true)
        }
    }

    @Test(
        "An assertion without a signature, or with claims changed after signing, is refused",
        arguments: [true, false])
    func forged(isUnsigned: Bool) async throws {
        try await withStage { stage in
            let header: JSONValue = ["alg": "RS256", "kid": .string(stage.keyID)]
            let audience: JSONValue = "https://oauth2.googleapis.com/token"
            let claims: JSONValue = ["iss": stage.email, "aud": audience, "exp": .integer(Self.now + 60)]
            let good = try CompactJWS(header: header.serialized, payload: claims.serialized, sign: stage.key.signature)
            let changed: JSONValue = ["iss": stage.email, "aud": audience, "exp": .integer(Self.now + 61)]
            let parts = good.text.split(separator: ".").map(String.init)
            let text =
                isUnsigned
                ? "\(parts[0]).\(parts[1])."
                : [parts[0], Base64URL.encode(changed.serialized), parts[2]].joined(separator: ".")
            let accepted = try Assertion(good.text, accounts: stage.accounts, now: Self.now)
            #expect(accepted.project == "pushgate")
            #expect(throws: TokenError.self) {
                try Assertion(text, accounts: stage.accounts, now: Self.now)
            }
        }
    }

    @Test("An assertion is refused if its issuer is not the account, or the account's file is deleted")
    func issuer() async throws {
        try await withStage { stage in
            #expect(throws: TokenError.self) { try stage.accept(claims: ["iss": "somebody@example.com"]) }
            try FileManager.default.removeItem(atPath: stage.path)
            let error = #expect(throws: TokenError.self) { try stage.accept() }
            #expect(error?.description.contains("does not know") == true)
            #expect(stage.log.lines == [])
        }
    }

    @Test("An assertion of an account with a damaged file is refused, and the log names the file")
    func damagedFile() async throws {
        try await withStage { stage in
            for text in ["", "{}", #"{"project_id":"p","client_email":"e","public_key":"k"}"#] {
                try text.write(toFile: stage.path, atomically: true, encoding: .utf8)
                let error = #expect(throws: TokenError.self) { try stage.accept() }
                #expect(error?.description.contains("its log says why") == true)
                #expect(error?.description.contains(stage.path) == false)
                #expect(stage.log.lines.last?.contains(stage.path) == true)
            }
            try FileManager.default.removeItem(atPath: stage.path)
            try FileManager.default.createDirectory(atPath: stage.path, withIntermediateDirectories: false)
            #expect(throws: TokenError.self) { try stage.accept() }
            #expect(stage.log.lines.last?.contains("cannot read \(stage.path): Is a directory") == true)
        }
    }
}
