public import Foundation

/// The proof that an installation is one of the author's app, for relays that admit no others.
///
/// ``AppSecretAdmission`` and ``AppAttestAdmission`` are the ways that a relay knows.
public protocol RelayAdmission: Sendable {
    /// Returns a proof for one registration.
    ///
    /// - Parameter clientData: The data that an attestation is about: the installation's public key, and the time of
    ///   the call.
    func proof(for clientData: Data) async throws -> RelayAdmissionProof

    /// Notes that the relay has accepted the last proof, so that later ones may refer to it.
    func wasAccepted() async

    /// Notes that the relay has refused the last proof, so that the next one may be another.
    func wasRefused() async
}

extension RelayAdmission {
    /// Does nothing: the proof is always the same.
    public func wasAccepted() async {}

    /// Does nothing: the proof is always the same.
    public func wasRefused() async {}
}

/// A proof for a relay.
public enum RelayAdmissionProof: Hashable, Sendable, Encodable {
    /// The secret of the author's app.
    case secret(String)
    /// The attestation of a key of App Attest, its first proof. The id is in base64, as the system gives it.
    case attestation(keyID: String, Data)
    /// The assertion of a key of App Attest that was attested before. The id is in base64, as the system gives it.
    case assertion(keyID: String, Data)

    private enum CodingKeys: String, CodingKey {
        case secret
        case appAttest = "app_attest"
    }

    /// Encodes the proof as the member `admission` of a registration.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .secret(let secret): try fields.encode(secret, forKey: .secret)
        case .attestation(let keyID, let bytes):
            try fields.encode(Self.object(keyID, "attestation", bytes), forKey: .appAttest)
        case .assertion(let keyID, let bytes):
            try fields.encode(Self.object(keyID, "assertion", bytes), forKey: .appAttest)
        }
    }

    private static func object(_ keyID: String, _ name: String, _ bytes: Data) -> [String: String] {
        ["key_id": Base64URLText.text(ofBase64: keyID), name: Base64URLText.encode(bytes)]
    }
}

/// The admission by a secret in the app. Whoever takes the app apart finds it, so it only keeps out the curious.
public struct AppSecretAdmission: RelayAdmission, CustomStringConvertible, CustomReflectable {
    private let secret: String

    /// Takes the secret that the relay's operator has set.
    public init(secret: String) { self.secret = secret }

    /// Returns the secret.
    public func proof(for clientData: Data) async throws -> RelayAdmissionProof { .secret(secret) }

    /// `<redacted>`, so that logs do not show the secret.
    public var description: String { "<redacted>" }
    /// An empty mirror, so that dumps do not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
