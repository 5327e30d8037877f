import Cryptography

/// The judgment of App Attest's objects, by which Apple vouches that a key belongs to an unmodified app on one of its
/// devices ([Validating apps that connect to your
/// server](https://developer.apple.com/documentation/devicecheck/validating-apps-that-connect-to-your-server)).
struct AppAttest: Sendable {
    /// A reason to refuse an object.
    enum Refusal: String, Error {
        case form
        case chain
        case nonce
        case keyID
        case app
        case environment
        case counter
        case signature
    }

    private static let format = "apple-appattest"
    private static let nonceExtension = "1.2.840.113635.100.8.2"
    /// A sequence with one element, which is an octet string of 32 bytes with the tag 1 around it (DER).
    private static let noncePrefix: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]
    private static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    private static let development = Array("appattestdevelop".utf8)

    /// The apps: the team's id, a dot, and the bundle id.
    let appIDs: [String]
    /// `true` if keys of builds for development are good too.
    let allowsDevelopment: Bool
    /// The certificate of the authority, in PEM.
    let root: String

    /// Judges the attestation of a key.
    ///
    /// - Parameters:
    ///   - keyID: The id of the key, as the app knows it.
    ///   - clientData: The data whose SHA-256 the app gave to be attested.
    ///   - time: The time in seconds since 1970.
    /// - Returns: The key.
    func key(
        attestedBy attestation: [UInt8], keyID: [UInt8], clientData: [UInt8], at time: Int64
    ) throws(Refusal) -> P256Point {
        guard let object = CBORValue(encoded: attestation), object["fmt"]?.string == Self.format,
            let chain = object["attStmt"]?["x5c"]?.elements?.compactMap(\.data),
            let bytes = object["authData"]?.data, let data = AuthenticatorData(bytes), let credential = data.credential
        else { throw .form }
        guard let certificate = try? VerifiedCertificate(chain: chain, root: root, at: time) else { throw .chain }
        let nonce = Self.nonce(bytes, clientData)
        guard certificate.contents(ofExtension: Self.nonceExtension) == Self.noncePrefix + nonce else { throw .nonce }
        guard SHA256.digest(of: certificate.publicKey.bytes) == keyID, credential.id == keyID else { throw .keyID }
        try check(data)
        guard isAllowed(credential.environment) else { throw .environment }
        guard data.counter == 0 else { throw .counter }
        return certificate.publicKey
    }

    /// Judges an assertion by an attested key.
    ///
    /// - Parameter counter: The number of signatures that the key had made before.
    /// - Returns: The number with this one.
    func counter(
        of assertion: [UInt8], by key: P256Point, after counter: Int, clientData: [UInt8]
    ) throws(Refusal) -> Int {
        guard let object = CBORValue(encoded: assertion), let signature = object["signature"]?.data,
            let bytes = object["authenticatorData"]?.data, let data = AuthenticatorData(bytes)
        else { throw .form }
        guard let publicKey = try? ES256PublicKey(key),
            publicKey.isValid(der: signature, for: Self.nonce(bytes, clientData))
        else { throw .signature }
        try check(data)
        guard data.counter > counter else { throw .counter }
        return data.counter
    }

    private static func nonce(_ authenticatorData: [UInt8], _ clientData: [UInt8]) -> [UInt8] {
        SHA256.digest(of: authenticatorData + SHA256.digest(of: clientData))
    }

    private func check(_ data: AuthenticatorData) throws(Refusal) {
        guard appIDs.contains(where: { SHA256.digest(of: $0.utf8) == data.appDigest }) else { throw .app }
    }

    private func isAllowed(_ environment: [UInt8]) -> Bool {
        environment == Self.production || allowsDevelopment && environment == Self.development
    }
}
