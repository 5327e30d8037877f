/// A small certificate authority: what a server that clients know by no other needs to speak TLS that is verified like
/// any other.
///
/// P-256 keys, SHA-256 signatures, X.509 v3 (RFC 5280). The key lives in memory, unless its PEM is written somewhere.
public struct CertificateAuthority: Sendable {
    private let key: KeyHandle
    private let certificate: Certificate

    /// The authority's own certificate, X.509 PEM: what a client must trust.
    public let certificatePEM: String

    /// Makes a key and a self-signed certificate.
    ///
    /// - Parameters:
    ///   - commonName: shown to people; at most 64 characters (RFC 5280, `ub-common-name`).
    ///   - validity: from five minutes ago, so that a peer whose clock lags accepts it at once, until `validity` from
    ///     now.
    ///   - permittedDomains: clients take no DNS name from this authority but these and what is below them (name
    ///     constraints, RFC 5280 §4.2.1.10); with none, they take any. IP addresses are not bound by it.
    public init(
        commonName: String, validity: Duration, permittedDomains: [String] = []
    ) throws(CryptographyError) {
        key = try .generate()
        let draft = try CertificateDraft(subject: commonName, key: key, validity: validity, issuer: nil)
        try draft.addAuthorityExtensions(permittedDomains: permittedDomains)
        certificate = try draft.signed(by: key)
        certificatePEM = try certificate.pem()
    }

    /// Takes up an authority that was written down.
    ///
    /// - Throws: when the certificate is no authority's, is no longer valid, or has another key.
    public init(certificatePEM: String, privateKeyPEM: String) throws(CryptographyError) {
        key = try KeyHandle.readingPrivateKey(pem: privateKeyPEM, "read the authority's key")
        certificate = try Certificate(pem: certificatePEM)
        self.certificatePEM = certificatePEM
        try certificate.requireAuthority(with: key)
    }

    /// The key, as unencrypted PKCS#8 PEM, for ``init(certificatePEM:privateKeyPEM:)``. A secret: whoever has it can pass
    /// for every name this authority may vouch for, to every client that trusts it.
    public func privateKeyPEM() throws(CryptographyError) -> String { try key.privateKeyPEM() }

    /// Issues a certificate for a TLS server, with a key of its own.
    ///
    /// - Parameters:
    ///   - commonName: shown to people; no client compares it with the host.
    ///   - dnsNames: the names the server is reached under; a leading `*.` covers one label.
    ///   - ipAddresses: IPv4 or IPv6 addresses in text form.
    ///   - validity: as for the authority itself.
    /// - Throws: when both lists are empty (no client would accept the certificate) or an address is none.
    public func issue(
        commonName: String, dnsNames: [String], ipAddresses: [String], validity: Duration
    ) throws(CryptographyError) -> IssuedCertificate {
        let serverKey = try KeyHandle.generate()
        let draft = try CertificateDraft(subject: commonName, key: serverKey, validity: validity, issuer: certificate)
        try draft.addServerExtensions(dnsNames: dnsNames, ipAddresses: ipAddresses)
        return try IssuedCertificate(
            certificatePEM: draft.signed(by: key).pem(), privateKeyPEM: serverKey.privateKeyPEM())
    }
}
