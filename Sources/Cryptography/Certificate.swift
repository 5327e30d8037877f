internal import COpenSSL

/// Owns one X.509 certificate.
///
/// It is changed only while it is drafted. What OpenSSL caches in a finished one it guards with its own lock
/// (`openssl-threads(7)`).
final class Certificate: @unchecked Sendable {  // because only the thread that drafts it changes it
    let pointer: OpaquePointer

    /// An empty certificate of version 3.
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

    deinit {
        X509_free(pointer)
    }

    func pem() throws(CryptographyError) -> String {
        try MemoryBIO.writing("write a certificate") { bio in PEM_write_bio_X509(bio, pointer) }
    }
}

extension Certificate {
    /// Throws unless this is an authority's certificate, valid still, and of this key.
    func requireAuthority(with key: KeyHandle) throws(CryptographyError) {
        let operation = "use a certificate as an authority's"
        guard X509_check_ca(pointer) == 1 else {
            throw CryptographyError(operation: operation, reason: "it is not one (basic constraints)")
        }
        guard X509_cmp_current_time(X509_get0_notAfter(pointer)) > 0 else {
            throw CryptographyError(operation: operation, reason: "it has expired")
        }
        guard X509_check_private_key(pointer, key.pointer) == 1 else {
            ERR_clear_error()
            throw CryptographyError(operation: operation, reason: "its key is another")
        }
    }
}
