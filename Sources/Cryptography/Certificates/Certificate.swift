import COpenSSL

/// An owner of one X.509 certificate.
///
/// The certificate changes only while it is a draft. OpenSSL guards its caches in a finished certificate with its own
/// lock (`openssl-threads(7)`).
final class Certificate: @unchecked Sendable {  // because only the thread that makes the draft changes it
    let pointer: OpaquePointer

    /// Makes a draft of version 3 in which no field is set.
    init() throws(CryptographyError) {
        pointer = try unwrapped(X509_new(), "make a certificate")
        // Versions count from zero (RFC 5280 §4.1.2.1).
        try check(X509_set_version(pointer, 2), "make a certificate")
    }

    /// Reads the first certificate of a PEM text.
    init(pem: String) throws(CryptographyError) {
        pointer = try MemoryBIO.reading(pem, "read a certificate") { bio in
            PEM_read_bio_X509(bio, nil, refusePassphrase, nil)
        }
    }

    /// Reads a certificate in DER.
    init(der: [UInt8]) throws(CryptographyError) {
        let read = der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var cursor = der.baseAddress
            return d2i_X509(nil, &cursor, der.count)
        }
        pointer = try unwrapped(read, "read a certificate")
    }

    deinit {
        X509_free(pointer)
    }

    func pem() throws(CryptographyError) -> String {
        try MemoryBIO.writing("write a certificate") { bio in PEM_write_bio_X509(bio, pointer) }
    }
}

extension Certificate {
    /// Throws an error unless this is a certificate of an authority with this key, and has not expired.
    func requireAuthority(with key: KeyHandle) throws(CryptographyError) {
        let operation = "use a certificate as an authority's"
        guard X509_check_ca(pointer) == 1 else {
            throw CryptographyError(
                operation: operation, reason: "it is not an authority's certificate (basic constraints)")
        }
        guard X509_cmp_current_time(X509_get0_notAfter(pointer)) > 0 else {
            throw CryptographyError(operation: operation, reason: "it has expired")
        }
        guard X509_check_private_key(pointer, key.pointer) == 1 else {
            ERR_clear_error()
            throw CryptographyError(operation: operation, reason: "it belongs to another key")
        }
    }
}
