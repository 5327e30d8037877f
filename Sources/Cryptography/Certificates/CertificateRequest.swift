import COpenSSL

/// A request for a server's certificate (PKCS #10, RFC 2986), with a new P-256 key of the server.
package struct CertificateRequest: Sendable {
    /// The request in DER.
    package let der: [UInt8]
    /// The server's private key in unencrypted PKCS#8 PEM. This is a secret.
    package let privateKeyPEM: String

    /// Makes a key and a request.
    ///
    /// - Parameter dnsNames: the names of the server, at least one.
    package init(dnsNames: [String]) throws(CryptographyError) {
        let operation = "make a certificate request"
        let key = try KeyHandle.generate()
        let request = try unwrapped(X509_REQ_new(), operation)
        defer { X509_REQ_free(request) }
        // The only version there is has the number zero (RFC 2986 §4.1).
        try check(X509_REQ_set_version(request, 0), operation)
        try check(X509_REQ_set_pubkey(request, key.pointer), operation)
        let names = try SubjectAlternativeNames(dnsNames: dnsNames, ipAddresses: [])
        try check(COpenSSL_add_names_to_request(request, names.list), operation)
        try check(X509_REQ_sign(request, key.pointer, DigestAlgorithm.sha256.pointer), operation)
        der = try encodedDER(operation) { i2d_X509_REQ(request, $0) }
        privateKeyPEM = try key.privateKeyPEM()
    }
}

/// Returns the DER that one of OpenSSL's `i2d` functions allocates.
func encodedDER(
    _ operation: String, _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
) throws(CryptographyError) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = encode(&encoded)
    defer { CRYPTO_free(encoded, nil, 0) }
    try check(count, operation)
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
}
