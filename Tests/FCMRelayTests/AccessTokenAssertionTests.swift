import Cryptography
import JSON
import Testing

@testable import FCMRelay

@Suite("The assertion for an access token")
struct AccessTokenAssertionTests {
    @Test("The assertion is a JWT with the claims that Google requires, signed with the account's key")
    func form() throws {
        let key = try TestKey.shared.get()
        let file: JSONValue = [
            "type": "service_account", "project_id": "p", "private_key_id": "key-1", "private_key": .string(key.pem),
            "client_email": "sender@p.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token",
        ]
        let text = try AccessTokenAssertion.signed(
            by: ServiceAccount(json: file.serialized), issuedAt: 1_700_000_000)
        let jws = try #require(CompactJWS(text))
        #expect(try JSONValue(parsing: jws.header) == ["alg": "RS256", "typ": "JWT", "kid": "key-1"])
        #expect(
            try JSONValue(parsing: jws.payload)
                == [
                    "iss": "sender@p.iam.gserviceaccount.com",
                    "scope": "https://www.googleapis.com/auth/firebase.messaging",
                    "aud": "https://oauth2.googleapis.com/token", "iat": 1_700_000_000, "exp": 1_700_003_600,
                ])
        #expect(key.publicKey.isValid(jws.signature, for: jws.signingInput.utf8))
    }
}
