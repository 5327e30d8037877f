import Cryptography
package import FCMInterface
import Foundation
import Gateway
import HTTPTypes
package import JSON
import Testing

/// A service account of a gateway, as a client of FCM uses it.
package struct ServiceAccount: Sendable {
    private let file: JSONValue
    /// The key's PEM, which the gateway does not keep.
    package let privateKeyPEM: String

    /// Creates a service account as `pushgate init` does.
    ///
    /// - Parameters:
    ///   - directory: the gateway's data directory.
    ///   - url: the gateway's URL.
    ///   - scopes: the interfaces that the account is for.
    package init(in directory: String, url: String, scopes: Set<AccessScope> = [.messaging]) async throws {
        let configuration = try await GatewayConfiguration.read(
            flags: ["data.directory": directory], environment: [:], file: nil)
        let addresses = try ClientAddresses(configuration, url: url)
        file = try FirebaseFiles(configuration: configuration, addresses: addresses, scopes: scopes)
            .serviceAccount()
        privateKeyPEM = try #require(file["private_key"]?.string)
    }

    /// The id of the account's key.
    package var keyID: String { file["private_key_id"]?.string ?? "" }

    /// Returns the signed assertion for an access token.
    ///
    /// - Parameters:
    ///   - claims: claims that replace the valid ones.
    ///   - namesKey: `true` if the header names the signing key.
    package func assertion(_ claims: [String: JSONValue] = [:], namesKey: Bool = true) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var all: [String: JSONValue] = [
            "iss": file["client_email"] ?? .null, "aud": "https://oauth2.googleapis.com/token",
            "iat": .integer(now), "exp": .integer(now + 3_600), "scope": "x",
        ]
        all.merge(claims) { $1 }
        var header: JSONObject = ["alg": "RS256", "typ": "JWT"]
        if namesKey { header["kid"] = file["private_key_id"] }
        let payload = JSONValue.object(JSONObject(all.map { ($0.key, $0.value) })).serialized
        let key = try RS256PrivateKey(pem: privateKeyPEM)
        return try CompactJWS(header: JSONValue.object(header).serialized, payload: payload, sign: key.signature).text
    }
}

extension Caller {
    /// Requests an access token as Google's libraries do.
    package func askForAccessToken(with assertion: String, at path: String = "/token") async throws -> Answer {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion
        return try await send(
            .post, path, headerFields: [.contentType: "application/x-www-form-urlencoded"], body: Array(form.utf8))
    }
}
