import COpenSSL

/// The certificate of a key on P-256 that an authority vouches for, over others between them.
package struct VerifiedCertificate: Sendable {
    /// The certificate's key.
    package let publicKey: P256Point
    private let certificate: Certificate

    /// Verifies a chain.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER: that of the key first, then those of the authorities below the root.
    ///   - root: The certificate of the authority to trust, in PEM.
    ///   - time: The time at which all of them must be valid, in seconds since 1970.
    package init(chain: [[UInt8]], root: String, at time: Int64) throws(CryptographyError) {
        let operation = "verify a certificate's chain"
        guard let first = chain.first else {
            throw CryptographyError(operation: operation, reason: "it has no certificate")
        }
        let (leaf, authority) = (try Certificate(der: first), try Certificate(pem: root))
        var others: [Certificate] = []
        for der in chain.dropFirst() { others.append(try Certificate(der: der)) }
        var pointers = others.map { certificate -> OpaquePointer? in certificate.pointer }
        let isValid = withExtendedLifetime((leaf, others, authority)) {
            pointers.withUnsafeMutableBufferPointer { pointers in
                COpenSSL_verify_chain(
                    leaf.pointer, pointers.baseAddress, Int32(clamping: pointers.count), authority.pointer, time)
            }
        }
        guard isValid == 1 else {
            ERR_clear_error()
            throw CryptographyError(
                operation: operation, reason: "it does not lead to the authority, or is not valid at this time")
        }
        let key = KeyHandle(owning: try unwrapped(X509_get_pubkey(leaf.pointer), operation))
        publicKey = try ES256PublicKey(key).point()
        certificate = leaf
    }

    /// Returns the contents of an extension; `nil` if the certificate does not have it.
    ///
    /// - Parameter identifier: The object identifier as numbers with dots.
    package func contents(ofExtension identifier: String) -> [UInt8]? {
        guard let object = OBJ_txt2obj(identifier, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(certificate.pointer, object, -1)
        guard index >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(certificate.pointer, index)) else {
            return nil
        }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}
