import COpenSSL

/// The certificates of authorities to trust, which the connections of OpenSSL's TLS can share: reading the system's
/// takes 18 ms of processor time.
package final class TrustStore {
    private let pointer: OpaquePointer

    /// The name of this OpenSSL, up to the major version. A library of TLS with another one cannot use a store.
    package static var library: String { "OpenSSL/\(OPENSSL_version_major())." }

    /// Reads certificates.
    ///
    /// - Parameters:
    ///   - file: The path of a PEM file; `nil` for none.
    ///   - directory: The path of a folder in which certificates are looked up when they are needed, by names that
    ///     `openssl-rehash(1)` makes; `nil` for none.
    package init(file: String?, directory: String?) throws(CryptographyError) {
        let operation = "read the certificates of authorities" + (file.map { " in \($0)" } ?? "")
        pointer = try unwrapped(X509_STORE_new(), operation)
        if let file { try check(X509_STORE_load_file(pointer, file), operation) }
        if let directory { try check(X509_STORE_load_path(pointer, directory), operation) }
        // The flags that libcurl sets: authorities before what a server sends, and any certificate of the store as one.
        let flags = UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN)
        try check(X509_STORE_set_flags(pointer, flags), operation)
        // A file that was read to its end leaves an error.
        ERR_clear_error()
    }

    deinit { X509_STORE_free(pointer) }

    /// Makes connections verify certificates by this store. The context takes a reference of its own.
    ///
    /// - Parameter context: An `SSL_CTX` of the library ``library``.
    package func use(in context: UnsafeMutableRawPointer) {
        SSL_CTX_set1_cert_store(OpaquePointer(context), pointer)
    }
}
