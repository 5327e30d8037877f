import COpenSSL

/// The parts of a certificate that its owner needs to renew and to revoke it (RFC 5280 §4.1 and §4.2.1.1).
package struct CertificateFacts: Hashable, Sendable {
    /// The certificate in DER.
    package let der: [UInt8]
    /// The serial number: the contents of its INTEGER in DER, big-endian.
    package let serialNumber: [UInt8]
    /// The identifier of the authority's key; `nil` if the certificate has none.
    package let authorityKeyIdentifier: [UInt8]?
    /// The beginning of the validity, in seconds since 1970.
    package let notBefore: Int64
    /// The end of the validity, in seconds since 1970.
    package let notAfter: Int64

    /// Reads the first certificate of a PEM text.
    package init(pem: String) throws(CryptographyError) {
        let certificate = try Certificate(pem: pem)
        let operation = "read a certificate"
        der = try encodedDER(operation) { i2d_X509(certificate.pointer, $0) }
        serialNumber = try certificate.serialNumber(operation)
        authorityKeyIdentifier = X509_get0_authority_key_id(certificate.pointer).map { identifier in
            Array(
                UnsafeBufferPointer(
                    start: ASN1_STRING_get0_data(identifier), count: Int(ASN1_STRING_length(identifier))))
        }
        notBefore = try Self.seconds(X509_get0_notBefore(certificate.pointer), operation)
        notAfter = try Self.seconds(X509_get0_notAfter(certificate.pointer), operation)
    }

    private static func seconds(
        _ time: UnsafePointer<ASN1_TIME>?, _ operation: String
    ) throws(CryptographyError) -> Int64 {
        let epoch = try unwrapped(ASN1_TIME_set(nil, 0), operation)
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds) = (Int32(0), Int32(0))
        try check(ASN1_TIME_diff(&days, &seconds, epoch, time), operation)
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

extension Certificate {
    fileprivate func serialNumber(_ operation: String) throws(CryptographyError) -> [UInt8] {
        let serial = X509_get_serialNumber(pointer)
        // A tag and a length of one byte each come first: a serial number has at most 20 octets (RFC 5280 §4.1.2.2).
        return Array(try encodedDER(operation) { i2d_ASN1_INTEGER(serial, $0) }.dropFirst(2))
    }
}
