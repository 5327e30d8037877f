package import Cryptography
import Foundation
package import Secrets

/// The secrets that a gateway generates for itself.
extension DataDirectory {
    /// The minimum length of an admin token, in characters.
    package static let minimumTokenLength = 16
    static let adminTokenName = "admin-token"

    // MARK: The admin token

    /// Returns the admin token of this directory, and creates one if there is none.
    ///
    /// - Returns: The token, and `true` if it is new.
    /// - Throws: `GatewayError` if the file cannot be read, holds no token, or holds one that can be guessed. An
    ///   existing file is never replaced.
    package func adminToken() throws(GatewayError) -> (token: RedactedString, isNew: Bool) {
        if let token = try storedAdminToken() {
            try checkLength(of: token)
            return (token, false)
        }
        let token = Base64URL.encode(RandomBytes.generate(32))
        try write(token + "\n", to: Self.adminTokenName)
        return (RedactedString(token), true)
    }

    /// The admin token of this directory; `nil` if there is none or it cannot be read.
    package func existingAdminToken() -> RedactedString? { try? storedAdminToken() }

    private func storedAdminToken() throws(GatewayError) -> RedactedString? {
        guard let token = try text(of: Self.adminTokenName) else { return nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw GatewayError(
                "there is no token in \(path)/\(Self.adminTokenName). Restore it, or delete it for a new token.")
        }
        return RedactedString(token)
    }

    private func checkLength(of token: RedactedString) throws(GatewayError) {
        guard token.value.utf8.count >= Self.minimumTokenLength else {
            throw GatewayError(
                "the token in \(path)/\(Self.adminTokenName) has fewer than \(Self.minimumTokenLength) characters and "
                    + "can be guessed. Delete the file to get a new token, or write a longer one to it.")
        }
    }

    // MARK: The key

    /// Returns the gateway key of this directory, and creates one if there is none.
    ///
    /// - Throws: `GatewayError` if the file cannot be read or does not hold a gateway key. Another key would
    ///   invalidate every registration token issued so far.
    package func gatewayKey() throws(GatewayError) -> GatewayKey {
        if let key = try existingGatewayKey() { return key }
        let bytes = RandomBytes.generate(GatewayKey.byteCount)
        try write(Base64URL.encode(bytes) + "\n", to: Self.gatewayKeyName)
        return GatewayKey(bytes)
    }

    static let gatewayKeyName = "gateway-key"

    /// Returns the gateway key of this directory, or `nil` if there is none.
    package func existingGatewayKey() throws(GatewayError) -> GatewayKey? {
        guard let text = try text(of: Self.gatewayKeyName) else { return nil }
        guard let bytes = Base64URL.decode(text), bytes.count == GatewayKey.byteCount else {
            throw GatewayError(
                "\(path)/\(Self.gatewayKeyName) is damaged: it does not hold a gateway key. Restore it from a backup; "
                    + "or delete it, which makes every registration token issued so far invalid.")
        }
        return GatewayKey(bytes)
    }
}

/// The secret, of 32 bytes, with which a gateway signs the tokens that it issues. Each use has a key of its own,
/// derived from it.
package struct GatewayKey: Sendable {
    static let byteCount = 32

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The key that signs registration tokens.
    package var registrationTokens: [UInt8] { derived(for: "registration-tokens") }

    /// The key that signs access tokens.
    package var accessTokens: [UInt8] { derived(for: "access-tokens") }

    /// A number of this gateway, for the resume tokens of listeners.
    package var serverNumber: UInt64 { derived(for: "resume-tokens").prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Returns the key for one purpose.
    package func derived(for use: String) -> [UInt8] { HMACSHA256.code(for: Array(use.utf8), key: bytes) }

    /// Returns the proof that its sender has this key, for a challenge that somebody else chose.
    package func proof(of challenge: String) -> String {
        Base64URL.encode(HMACSHA256.code(for: Array(challenge.utf8), key: derived(for: "proofs")))
    }
}

/// The certificate authority that signs the gateway's certificates for the host names of others.
extension DataDirectory {
    /// The path of the authority's certificate, which clients must trust. Mode 0644.
    package var certificateAuthorityPath: String { path + "/" + Self.certificateName }
    /// The path of the authority's private key. Mode 0600.
    private var certificateAuthorityKeyPath: String { path + "/" + Self.keyName }

    static let certificateName = "ca.pem"
    static let keyName = "ca.key"

    /// Returns the authority of this directory, and creates it if there is none. It is valid for ten years, and for
    /// these domains only. If several processes ask at the same time (`init` beside `serve`), one creates it and the
    /// others use the same one.
    ///
    /// - Throws: `GatewayError` if only one of the two files exists, or if they do not belong together. An authority
    ///   that clients may trust is never replaced.
    package func certificateAuthority(for domains: [String]) throws(GatewayError) -> CertificateAuthority {
        try exclusively { () throws(GatewayError) in try keptCertificateAuthority(for: domains) }
    }

    private func keptCertificateAuthority(for domains: [String]) throws(GatewayError) -> CertificateAuthority {
        guard let certificate = try pem(Self.certificateName) else { return try madeCertificateAuthority(for: domains) }
        guard let key = try pem(Self.keyName) else {
            throw GatewayError(
                "\(certificateAuthorityPath) exists, but its key \(certificateAuthorityKeyPath) does not. Restore the "
                    + "key; or remove ca.pem to get a new authority, which every client must then trust.")
        }
        do {
            return try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
        } catch {
            throw GatewayError(
                "\(error), from \(certificateAuthorityPath) and ca.key. Restore the two files that belong together; "
                    + "or remove both to get a new authority, which every client must then trust.")
        }
    }

    /// Creates the authority. The key is written first: after a crash between the two writes, no certificate exists
    /// that a client could trust.
    private func madeCertificateAuthority(for domains: [String]) throws(GatewayError) -> CertificateAuthority {
        let (authority, key) = try Self.newAuthority(for: domains)
        try write(key, to: Self.keyName)
        try write(authority.certificatePEM, to: Self.certificateName, mode: 0o644)
        return authority
    }

    private static func newAuthority(
        for domains: [String]
    ) throws(GatewayError) -> (CertificateAuthority, key: String) {
        do {
            let authority = try CertificateAuthority(
                // A random number distinguishes the authorities of several gateways on a client that trusts all of
                // them.
                commonName: "Pushgate authority \(String(UInt32.random(in: .min ... .max), radix: 16))",
                validity: .seconds(10 * 365 * 24 * 60 * 60), permittedDomains: domains)
            return (authority, try authority.privateKeyPEM())
        } catch {
            throw GatewayError("cannot make a certificate authority: \(error)")
        }
    }

    /// Returns the file's text, or `nil` if the file does not exist.
    private func pem(_ name: String) throws(GatewayError) -> String? {
        try file(name).contents().map { String(decoding: $0, as: UTF8.self) }
    }
}
