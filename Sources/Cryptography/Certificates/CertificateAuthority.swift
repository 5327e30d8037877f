/// A small certificate authority. It issues certificates for a server without a public one, which clients can verify
/// like any other.
///
/// Keys are P-256, signatures SHA-256, certificates X.509 v3 (RFC 5280). The key exists in memory only, unless the
/// caller writes its PEM to a file.
package struct CertificateAuthority: Sendable {
    private let key: KeyHandle
    private let certificate: Certificate

    /// The authority's own certificate in X.509 PEM, which clients must trust.
    package let certificatePEM: String

    /// Makes a key and a self-signed certificate.
    ///
    /// - Parameters:
    ///   - commonName: a name for people; at most 64 characters (RFC 5280, `ub-common-name`).
    /// - validity: the time from now until the certificate expires. It is valid from five minutes ago on, so that a
    ///   peer whose clock is behind accepts it at once.
    ///   - permittedDomains: the DNS names, with all names below them, that clients accept from this authority (name
    ///     constraints, RFC 5280 §4.2.1.10); empty for all names. The constraint does not apply to IP addresses.
    package init(
        commonName: String, validity: Duration, permittedDomains: [String] = []
    ) throws(CryptographyError) {
        key = try .generate()
        let draft = try CertificateDraft(subject: commonName, key: key, validity: validity, issuer: nil)
        try draft.addAuthorityExtensions(permittedDomains: permittedDomains)
        certificate = try draft.signed(by: key)
        certificatePEM = try certificate.pem()
    }

    /// Loads an authority whose certificate and key were saved.
    ///
    /// - Throws: an error if the certificate is not an authority's, has expired, or belongs to another key.
    package init(certificatePEM: String, privateKeyPEM: String) throws(CryptographyError) {
        key = try KeyHandle.readingPrivateKey(pem: privateKeyPEM, "read the authority's key")
        certificate = try Certificate(pem: certificatePEM)
        self.certificatePEM = certificatePEM
        try certificate.requireAuthority(with: key)
    }

    /// Returns the key as unencrypted PKCS#8 PEM, for ``init(certificatePEM:privateKeyPEM:)``. This is a secret: its
    /// owner can impersonate each name for which clients trust this authority.
    package func privateKeyPEM() throws(CryptographyError) -> String { try key.privateKeyPEM() }

    /// Issues a certificate for a TLS server, with a key of its own.
    ///
    /// - Parameters:
    ///   - commonName: a name for people; clients do not compare it with the host.
    ///   - dnsNames: the names of the server; a leading `*.` covers one label.
    ///   - ipAddresses: IPv4 or IPv6 addresses in text form.
    ///   - validity: as for the authority itself.
    /// - Throws: an error if both lists are empty (no client would accept the certificate), or an address is not
    ///   valid.
    package func issue(
        commonName: String, dnsNames: [String], ipAddresses: [String], validity: Duration
    ) throws(CryptographyError) -> IssuedCertificate {
        let serverKey = try KeyHandle.generate()
        let draft = try CertificateDraft(subject: commonName, key: serverKey, validity: validity, issuer: certificate)
        try draft.addServerExtensions(dnsNames: dnsNames, ipAddresses: ipAddresses)
        return try IssuedCertificate(
            certificatePEM: draft.signed(by: key).pem(), privateKeyPEM: serverKey.privateKeyPEM())
    }
}

/// A certificate with its private key.
package struct IssuedCertificate: Sendable {
    /// The certificate in X.509 PEM, followed by those of its authorities, if there are any.
    package let certificatePEM: String
    /// The private key in unencrypted PKCS#8 PEM. This is a secret.
    package let privateKeyPEM: String

    /// Combines a certificate and its key.
    package init(certificatePEM: String, privateKeyPEM: String) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }
}
