import Cryptography
import Foundation
import Gateway
import HTTPTypes
public import JSON
import Testing

/// A service account of a gateway, in the hands of a client of FCM.
public struct ServiceAccount: Sendable {
    private let file: JSONValue
    /// The key's PEM, which the gateway does not keep.
    public let privateKeyPEM: String

    /// Makes one as `pushgate init` does.
    ///
    /// - Parameters:
    ///   - directory: the gateway's data.
    ///   - url: where it listens.
    public init(in directory: String, url: String) async throws {
        let configuration = try await GatewayConfiguration.read(
            flags: ["data.directory": directory], environment: [:], file: nil)
        let addresses = try ClientAddresses(configuration, url: url)
        file = try FirebaseFiles(configuration: configuration, addresses: addresses).serviceAccount()
        privateKeyPEM = try #require(file["private_key"]?.string)
    }

    /// What it signs to get an access token.
    ///
    /// - Parameter claims: in the place of those that are in order.
    public func assertion(_ claims: [String: JSONValue] = [:]) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var all: [String: JSONValue] = [
            "iss": file["client_email"] ?? .null, "aud": "https://oauth2.googleapis.com/token",
            "iat": .integer(now), "exp": .integer(now + 3_600), "scope": "x",
        ]
        all.merge(claims) { $1 }
        let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": file["private_key_id"] ?? .null]
        let payload = JSONValue.object(JSONObject(all.map { ($0.key, $0.value) })).serialized
        let key = try RS256PrivateKey(pem: privateKeyPEM)
        return try CompactJWS(header: header.serialized, payload: payload, sign: key.signature).text
    }
}

extension Caller {
    /// Asks for an access token as Google's libraries do.
    public func askForAccessToken(with assertion: String) async throws -> Answer {
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion
        return try await send(
            .post, "/token", headerFields: [.contentType: "application/x-www-form-urlencoded"], body: Array(form.utf8))
    }
}
