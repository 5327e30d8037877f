package import Cryptography
import JSON

/// The key of an account at a certificate authority, which signs each request (RFC 8555 §6.2).
package struct AccountKey: Sendable {
    private let key: ES256PrivateKey
    private let jwk: String
    private let thumbprint: String

    /// The key in unencrypted PKCS#8 PEM. This is a secret.
    package var pem: String { key.pem }

    /// Uses a P-256 key.
    package init(_ key: ES256PrivateKey) throws(CryptographyError) {
        self.key = key
        jwk = try key.publicKey.jwk()
        thumbprint = try key.publicKey.thumbprint()
    }

    /// The text that proves control over a challenge's name (RFC 8555 §8.1).
    func authorization(for token: String) -> String { "\(token).\(thumbprint)" }

    /// The identity of the signer in a request's header.
    enum Identity {
        /// The account's URL.
        case account(String)
        /// The public key, before there is an account.
        case key
    }

    /// Returns the body of a request: a JSON Web Signature in flattened form (RFC 7515 §7.2.2).
    ///
    /// - Parameter payload: the JSON, or nothing for a POST-as-GET (RFC 8555 §6.3).
    func signed(
        _ payload: [UInt8], to url: String, as identity: Identity, nonce: String
    ) throws(CryptographyError) -> [UInt8] {
        var header: [(String, JSONValue)] = [
            ("alg", "ES256"), ("nonce", .string(nonce)), ("url", .string(url)),
        ]
        switch identity {
        case .account(let account): header.append(("kid", .string(account)))
        case .key: header.append(("jwk", jwkJSON))
        }
        return try Self.flattened(
            CompactJWS(
                header: JSONValue.object(JSONObject(header)).serialized, payload: payload, sign: key.signature))
    }

    /// Returns the proof that this key belongs to a customer of the authority (RFC 8555 §7.3.4).
    func binding(to account: ExternalAccount, url: String) throws(CryptographyError) -> JSONValue? {
        let header: JSONValue = ["alg": "HS256", "kid": .string(account.keyID), "url": .string(url)]
        let jws = try CompactJWS(header: header.serialized, payload: Array(jwk.utf8)) { input in
            HMACSHA256.code(for: Array(input), key: account.hmacKey)
        }
        return try? JSONValue(parsing: Self.flattened(jws))
    }

    private var jwkJSON: JSONValue { (try? JSONValue(parsing: Array(jwk.utf8))) ?? .null }

    private static func flattened(_ jws: CompactJWS) -> [UInt8] {
        let json: JSONValue = [
            "protected": .string(Base64URL.encode(jws.header)), "payload": .string(Base64URL.encode(jws.payload)),
            "signature": .string(Base64URL.encode(jws.signature)),
        ]
        return json.serialized
    }
}

/// A customer's account at a certificate authority that serves its customers only.
package struct ExternalAccount: Hashable, Sendable {
    /// The key id.
    package let keyID: String
    /// The key of the HMAC. This is a secret.
    package let hmacKey: [UInt8]

    /// Takes the bytes of the key, which authorities give as base64url.
    package init(keyID: String, hmacKey: [UInt8]) {
        self.keyID = keyID
        self.hmacKey = hmacKey
    }
}
