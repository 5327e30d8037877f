import COpenSSL
import Texts

/// A certificate before its signature.
struct CertificateDraft {
    let certificate: Certificate
    let issuer: Certificate

    /// Makes a draft with a random serial number, the names, the subject's key, and the period of validity.
    ///
    /// - Parameter issuer: the authority's certificate, or `nil` for a self-signed certificate.
    init(
        subject: String, key: KeyHandle, validity: Duration, issuer authority: Certificate?
    ) throws(CryptographyError) {
        certificate = try Certificate()
        issuer = authority ?? certificate
        try setSerialNumber()
        try setNames(subject: subject)
        try setValidity(validity)
        try check(X509_set_pubkey(certificate.pointer, key.pointer), "set a certificate's key")
    }

    /// Returns the signed certificate. The draft must not change after this.
    func signed(by key: KeyHandle) throws(CryptographyError) -> Certificate {
        try check(X509_sign(certificate.pointer, key.pointer, DigestAlgorithm.sha256.pointer), "sign a certificate")
        return certificate
    }

    /// Sets 128 random bits. RFC 5280 §4.1.2.2 allows up to 20 octets, positive, and no repetition by one authority.
    private func setSerialNumber() throws(CryptographyError) {
        let operation = "set a certificate's serial number"
        let number = try unwrapped(BN_new(), operation)
        defer { BN_free(number) }
        try check(BN_rand(number, 128, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY), operation)
        let serial = X509_get_serialNumber(certificate.pointer)
        _ = try unwrapped(BN_to_ASN1_INTEGER(number, serial), operation)
    }

    private func setNames(subject commonName: String) throws(CryptographyError) {
        let operation = "set a certificate's subject"
        let name = X509_get_subject_name(certificate.pointer)
        let bytes = Array(commonName.utf8)
        try check(
            X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0),
            operation)
        let issuerName = X509_get_subject_name(issuer.pointer)
        try check(X509_set_issuer_name(certificate.pointer, issuerName), operation)
    }

    private func setValidity(_ validity: Duration) throws(CryptographyError) {
        let operation = "set a certificate's validity"
        let (days, seconds) = validity.components.seconds.quotientAndRemainder(dividingBy: 86_400)
        let start = X509_getm_notBefore(certificate.pointer)
        let end = X509_getm_notAfter(certificate.pointer)
        _ = try unwrapped(X509_gmtime_adj(start, -Self.clockTolerance), operation)
        _ = try unwrapped(X509_time_adj_ex(end, Int32(clamping: days), Int(seconds), nil), operation)
    }

    /// The number of seconds by which a peer's clock may be behind.
    private static let clockTolerance = 300
}

extension CertificateDraft {
    /// Adds the extensions of an authority (RFC 5280 §4.2.1.9 and §4.2.1.3), and its name constraints (§4.2.1.10).
    func addAuthorityExtensions(permittedDomains: [String]) throws(CryptographyError) {
        try add(NID_basic_constraints, "critical,CA:TRUE")
        try add(NID_key_usage, "critical,keyCertSign,cRLSign")
        if !permittedDomains.isEmpty { try add(NID_name_constraints, try nameConstraints(permittedDomains)) }
        try addKeyIdentifiers()
    }

    /// Returns the constraints. Checks each domain, because a comma in one would start another constraint.
    private func nameConstraints(_ domains: [String]) throws(CryptographyError) -> String {
        if let other = domains.first(where: { $0.isEmpty || !$0.utf8.allSatisfy(Self.isOfDomain) }) {
            throw CryptographyError(operation: "bind an authority to names", reason: "\"\(other)\" is not a domain")
        }
        return "critical," + domains.map { "permitted;DNS:\($0)" }.joined(separator: ",")
    }

    /// Adds the extensions of a TLS server's certificate. Clients compare the host with the alternative names only
    /// (RFC 9525 §6.3).
    func addServerExtensions(dnsNames: [String], ipAddresses: [String]) throws(CryptographyError) {
        try add(NID_basic_constraints, "critical,CA:FALSE")
        try add(NID_key_usage, "critical,digitalSignature")
        try add(NID_ext_key_usage, "serverAuth")
        try addKeyIdentifiers()
        try addAlternativeNames(SubjectAlternativeNames(dnsNames: dnsNames, ipAddresses: ipAddresses))
    }

    private static func isOfDomain(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "-.".utf8.contains(byte) }

    /// Adds both identifiers. The authority's is derived from its subject identifier, so the subject's must come
    /// first.
    private func addKeyIdentifiers() throws(CryptographyError) {
        try add(NID_subject_key_identifier, "hash")
        try add(NID_authority_key_identifier, "keyid:always")
    }

    /// Adds an extension in OpenSSL's configuration syntax (`x509v3_config(5)`). The text must be checked.
    private func add(_ identifier: Int32, _ value: String) throws(CryptographyError) {
        let operation = "add a certificate's extension"
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
        let added = try unwrapped(X509V3_EXT_nconf_nid(nil, &context, identifier, value), operation)
        defer { X509_EXTENSION_free(added) }
        try check(X509_add_ext(certificate.pointer, added, -1), operation)
    }

    private func addAlternativeNames(_ names: SubjectAlternativeNames) throws(CryptographyError) {
        let operation = "add a certificate's alternative names"
        let list = UnsafeMutableRawPointer(names.list)
        try check(X509_add1_ext_i2d(certificate.pointer, NID_subject_alt_name, list, 0, 0), operation)
    }
}
