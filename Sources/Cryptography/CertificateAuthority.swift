/// A small certificate authority: what a simulator or a test needs to speak TLS that is verified like any other.
///
/// P-256 keys, SHA-256 signatures, X.509 v3 (RFC 5280). The key lives in memory only.
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
    public init(commonName: String, validity: Duration) throws(CryptographyError) {
        key = try .generate()
        let draft = try CertificateDraft(subject: commonName, key: key, validity: validity, issuer: nil)
        try draft.addAuthorityExtensions()
        certificate = try draft.signed(by: key)
        certificatePEM = try certificate.pem()
    }

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
