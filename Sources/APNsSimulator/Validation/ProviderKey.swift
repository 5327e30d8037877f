public import Cryptography

/// A signing key the simulator knows: what Apple keeps of a `.p8` that a team has made.
public struct ProviderKey: Sendable {
    /// The `kid` of the provider tokens it signs; ten characters at Apple.
    public let keyID: String
    /// The `iss` of the provider tokens it signs; ten characters at Apple.
    public let teamID: String
    public let publicKey: ES256PublicKey

    public init(keyID: String, teamID: String, publicKey: ES256PublicKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKey = publicKey
    }
}
