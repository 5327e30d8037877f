import APNsSimulator
import Cryptography
import JSON
import Testing

@Suite("Provider tokens at the simulator")
struct ProviderTokenClaimsTests {
    let sample: SampleRequest
    var key: SigningKey { sample.signingKey }
    let now = SampleRequest.now

    init() throws { sample = try SampleRequest() }

    private func rejection(_ authorization: String?, rules: ValidationRules? = nil) throws -> APNsRejection? {
        try sample.verdict(["authorization": authorization], rules: rules).rejection
    }

    @Test("A provider token is verified with a key that was read from a public key or a .p8 file")
    func keyFromText() throws {
        for pem in [key.key.publicKey.pem, key.key.pem] {
            let known = try ProviderKey(keyID: key.keyID, teamID: key.teamID, pem: pem)
            let rules = ValidationRules(providerKeys: [known])
            let other = try SigningKey()
            #expect(try rejection(key.authorization(issuedAt: .integer(now)), rules: rules) == nil)
            #expect(try rejection(other.authorization(issuedAt: .integer(now)), rules: rules) == .invalidProviderToken)
        }
    }

    @Test("A text that is not a P-256 key is an error that does not repeat the text")
    func wrongKeyText() throws {
        for pem in ["", "secret text", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"] {
            let error = #expect(throws: ProviderKeyError.self) {
                try ProviderKey(keyID: "KEY1234567", teamID: "TEAM123456", pem: pem)
            }
            #expect(try !#require(error).description.contains("secret"))
            #expect(try !#require(error).description.contains("c2VjcmV0"))
        }
    }

    @Test("A request without an authorization header is refused")
    func missing() throws {
        #expect(try rejection(nil) == .missingProviderToken)
    }

    @Test(
        "A provider token is valid for one hour, and up to a minute ahead of the clock",
        arguments: [-3600, -1, 0, 60])
    func age(seconds: Int64) throws {
        #expect(try rejection(key.authorization(issuedAt: .integer(now + seconds))) == nil)
    }

    @Test(
        "A provider token older than an hour is refused as expired",
        arguments: [-3601, -86_400, Int64.min + 1_800_000_000])
    func expired(seconds: Int64) throws {
        #expect(try rejection(key.authorization(issuedAt: .integer(now &+ seconds))) == .expiredProviderToken)
    }

    @Test("A provider token from the future is refused as invalid", arguments: [61, 86_400])
    func future(seconds: Int64) throws {
        #expect(try rejection(key.authorization(issuedAt: .integer(now + seconds))) == .invalidProviderToken)
    }

    @Test("A provider token expires on an open connection, and an earlier verdict is not reused")
    func expiresLater() throws {
        var validator = RequestValidator(rules: sample.rules)
        let request = try sample.request(["authorization": key.authorization(issuedAt: .integer(now))])
        #expect(validator.validate(request, now: now + 3600).rejection == nil)
        #expect(validator.validate(request, now: now + 3601).rejection == .expiredProviderToken)
        #expect(validator.validate(request, now: now).rejection == nil)
    }

    @Test("A provider token of an unknown key, another team or another algorithm is invalid")
    func wrongNames() throws {
        let issuedAt = JSONValue.integer(now)
        #expect(try rejection(key.authorization(issuedAt: issuedAt, keyID: "OTHERKEY00")) == .invalidProviderToken)
        #expect(try rejection(key.authorization(issuedAt: issuedAt, teamID: "OTHERTEAM0")) == .invalidProviderToken)
        #expect(try rejection(key.authorization(issuedAt: issuedAt, algorithm: "HS256")) == .invalidProviderToken)
        #expect(try rejection(key.authorization(issuedAt: issuedAt, algorithm: "none")) == .invalidProviderToken)
    }

    @Test("A provider token signed by another key under this key's id is invalid")
    func wrongKey() throws {
        let other = try SigningKey(keyID: key.keyID, teamID: key.teamID)
        #expect(try rejection(other.authorization(issuedAt: .integer(now))) == .invalidProviderToken)
    }

    @Test("Each of two keys is valid for its own team only")
    func twoTeams() throws {
        let other = try SigningKey(keyID: "KEY7654321", teamID: "TEAM654321")
        let rules = ValidationRules(providerKeys: [key.providerKey, other.providerKey])
        let issuedAt = JSONValue.integer(now)
        #expect(try rejection(key.authorization(issuedAt: issuedAt), rules: rules) == nil)
        #expect(try rejection(other.authorization(issuedAt: issuedAt), rules: rules) == nil)
        let borrowed = try other.authorization(issuedAt: issuedAt, teamID: key.teamID)
        #expect(try rejection(borrowed, rules: rules) == .invalidProviderToken)
    }

    @Test("A provider token with claims changed after signing is invalid")
    func tampered() throws {
        let old = try key.authorization(issuedAt: .integer(now - 7200)).split(separator: ".")
        let claims: JSONValue = ["iss": .string(key.teamID), "iat": .integer(now)]
        let tampered = "\(old[0]).\(Base64URL.encode(claims.serialized)).\(old[2])"
        #expect(try rejection(tampered) == .invalidProviderToken)
    }

    @Test("A provider token with a DER signature is invalid, as a JWT carries r and s of 32 bytes each")
    func derSignature() throws {
        let parts = try key.authorization(issuedAt: .integer(now)).split(separator: ".").map(String.init)
        let raw = try #require(Base64URL.decode(parts[2]))
        let der = DERSignature(raw: raw).bytes
        #expect(der.first == 0x30)
        #expect(try rejection("\(parts[0]).\(parts[1]).\(Base64URL.encode(der))") == .invalidProviderToken)
        #expect(try rejection("\(parts[0]).\(parts[1]).\(Base64URL.encode(raw))") == nil)
    }

    @Test("A provider token with claims of the wrong type is invalid")
    func wrongClaims() throws {
        let header: JSONValue = ["alg": "ES256", "kid": .string(key.keyID)]
        let team = JSONValue.string(key.teamID)
        for claims: JSONValue in [
            ["iss": team], ["iat": .integer(now)], ["iss": 7, "iat": .integer(now)], [], "claims",
        ] {
            #expect(try rejection(key.authorization(header: header, claims: claims)) == .invalidProviderToken)
        }
        let claims: JSONValue = ["iss": team, "iat": .integer(now)]
        for header: JSONValue in [["alg": "ES256"], ["kid": .string(key.keyID)], ["alg": "ES256", "kid": ""], []] {
            #expect(try rejection(key.authorization(header: header, claims: claims)) == .invalidProviderToken)
        }
        let extra: JSONValue = ["iss": team, "iat": .integer(now), "exp": .integer(now + 1)]
        #expect(try rejection(key.authorization(header: header, claims: extra)) == nil)
    }

    @Test(
        "A malformed bearer token is invalid",
        arguments: ["", "bearer", "bearer ", "bearer a.b", "bearer a.b.c.d", "bearer ...", "basic dXNlcjpwYXNz"])
    func malformed(authorization: String) throws {
        #expect(try rejection(authorization) == .invalidProviderToken)
        #expect(try rejection(authorization, rules: ValidationRules()) == .invalidProviderToken)
    }

    @Test("The bearer scheme is accepted in any case")
    func scheme() throws {
        let authorization = try key.authorization(issuedAt: .integer(now))
        #expect(try rejection("Bearer" + authorization.dropFirst(6)) == nil)
        #expect(try rejection(String(authorization.dropFirst(7))) == .invalidProviderToken)
    }

    @Test("A simulator without keys still checks a token's form and age")
    func noKeys() throws {
        let rules = ValidationRules()
        #expect(try rejection(key.authorization(issuedAt: .integer(now)), rules: rules) == nil)
        #expect(
            try rejection(key.authorization(issuedAt: .integer(now - 3601)), rules: rules) == .expiredProviderToken)
        let issuedAt = JSONValue.integer(now)
        #expect(
            try rejection(key.authorization(issuedAt: issuedAt, algorithm: "HS256"), rules: rules)
                == .invalidProviderToken)
    }

    @Test("A connection with many provider tokens still tells valid from invalid ones")
    func manyTokens() throws {
        var validator = RequestValidator(rules: sample.rules)
        let other = try SigningKey(keyID: key.keyID, teamID: key.teamID)
        for age in 0..<200 {
            let signer = age.isMultiple(of: 2) ? key : other
            let request = try sample.request([
                "authorization": signer.authorization(issuedAt: .integer(now - Int64(age)))
            ])
            let expected: APNsRejection? = age.isMultiple(of: 2) ? nil : .invalidProviderToken
            #expect(validator.validate(request, now: now).rejection == expected)
            #expect(validator.validate(request, now: now).rejection == expected)
        }
    }
}
