public import Cryptography
internal import Foundation

/// The certificate authority that vouches for a gateway under names that are not its own.
extension DataDirectory {
    /// The authority's certificate, for clients to trust. Mode 0644.
    public var certificateAuthorityPath: String { path + "/" + Self.certificateName }
    /// Mode 0600.
    private var certificateAuthorityKeyPath: String { path + "/" + Self.keyName }

    private static let certificateName = "ca.pem"
    private static let keyName = "ca.key"

    /// The authority kept here, made when there is none: good for ten years, and for Google's names only. Of processes
    /// that ask at the same time (`init` beside `serve`) one makes it, and the others take that.
    ///
    /// - Throws: when only one of the two files is there, or they do not belong together: another authority is never made
    ///   in the place of one that clients may trust.
    public func certificateAuthority() throws(GatewayError) -> CertificateAuthority {
        try exclusively(keptCertificateAuthority)
    }

    private func keptCertificateAuthority() throws(GatewayError) -> CertificateAuthority {
        guard let certificate = try pem(Self.certificateName) else { return try madeCertificateAuthority() }
        guard let key = try pem(Self.keyName) else {
            throw GatewayError(
                "\(certificateAuthorityPath) is there, and its key \(certificateAuthorityKeyPath) is not. Put it back; "
                    + "or remove ca.pem for a new authority, which every client must then be told to trust.")
        }
        do {
            return try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
        } catch {
            throw GatewayError(
                "\(error), from \(certificateAuthorityPath) and ca.key. Put back the two that belong together; or "
                    + "remove both for a new authority, which every client must then be told to trust.")
        }
    }

    /// The key comes first: a crash between the two leaves nothing that anybody trusts yet.
    private func madeCertificateAuthority() throws(GatewayError) -> CertificateAuthority {
        let (authority, key) = try Self.newAuthority()
        try write(key, to: Self.keyName)
        try write(authority.certificatePEM, to: Self.certificateName, mode: 0o644)
        return authority
    }

    private static func newAuthority() throws(GatewayError) -> (CertificateAuthority, key: String) {
        do {
            let authority = try CertificateAuthority(
                // The number tells the authorities of several gateways apart where all of them are trusted.
                commonName: "Pushgate authority \(String(UInt32.random(in: .min ... .max), radix: 16))",
                validity: .seconds(10 * 365 * 24 * 60 * 60), permittedDomains: GoogleHosts.certifiedNames)
            return (authority, try authority.privateKeyPEM())
        } catch {
            throw GatewayError("cannot make a certificate authority: \(error)")
        }
    }

    /// The file's text, or nil when there is none.
    private func pem(_ name: String) throws(GatewayError) -> String? {
        try file(name).contents().map { String(decoding: $0, as: UTF8.self) }
    }
}
