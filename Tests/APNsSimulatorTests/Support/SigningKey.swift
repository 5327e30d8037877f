import APNsSimulator
import Cryptography
import Foundation
import JSON

/// A sender's `.p8` key in tests, which makes valid and invalid provider tokens.
struct SigningKey: Sendable {
    let key: ES256PrivateKey
    let keyID: String
    let teamID: String

    init(keyID: String = "KEY1234567", teamID: String = "TEAM123456") throws {
        self.key = try .generate()
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Reads the key that a simulator has made.
    init(of addresses: APNsSimulatorAddresses) throws {
        struct Missing: Error {}
        guard let path = addresses.providerKeyPath, let keyID = addresses.providerKeyID,
            let teamID = addresses.providerTeamID
        else { throw Missing() }
        self.key = try ES256PrivateKey(pem: String(contentsOfFile: path, encoding: .utf8))
        self.keyID = keyID
        self.teamID = teamID
    }

    var providerKey: ProviderKey { ProviderKey(keyID: keyID, teamID: teamID, publicKey: key.publicKey) }

    /// Returns an `authorization` value, with each part replaceable by an invalid one.
    func authorization(
        issuedAt: JSONValue, keyID: String? = nil, teamID: String? = nil, algorithm: String = "ES256"
    ) throws -> String {
        let header: JSONValue = ["alg": .string(algorithm), "kid": .string(keyID ?? self.keyID)]
        let claims: JSONValue = ["iss": .string(teamID ?? self.teamID), "iat": issuedAt]
        return try authorization(header: header, claims: claims)
    }

    func authorization(header: JSONValue, claims: JSONValue) throws -> String {
        let text = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
        return "bearer " + text + "." + Base64URL.encode(try key.signature(for: text.utf8))
    }
}
