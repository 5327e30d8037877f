internal import COpenSSL

/// A certificate that is being filled in, until an authority signs it.
struct CertificateDraft {
    let certificate: Certificate
    let issuer: Certificate

    /// A draft with a random serial number, the names, the subject's key, and the period of validity.
    ///
    /// - Parameter issuer: the authority's certificate, or `nil` for one that signs itself.
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

    /// Signs the draft, after which it must not be changed.
    func signed(by key: KeyHandle) throws(CryptographyError) -> Certificate {
        try check(X509_sign(certificate.pointer, key.pointer, DigestAlgorithm.sha256.pointer), "sign a certificate")
        return certificate
    }

    /// 128 random bits; RFC 5280 §4.1.2.2 allows up to 20 octets, positive, and asks that no authority repeats one.
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

    /// How far a peer's clock may lag, in seconds.
    private static let clockTolerance = 300
}
