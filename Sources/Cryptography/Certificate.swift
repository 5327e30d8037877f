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

    deinit {
        X509_free(pointer)
    }

    func pem() throws(CryptographyError) -> String {
        try MemoryBIO.writing("write a certificate") { bio in PEM_write_bio_X509(bio, pointer) }
    }
}
