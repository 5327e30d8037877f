import COpenSSL

extension VerifyingKey where Scheme == ES256 {
    /// Returns the key's point.
    package func point() throws(CryptographyError) -> P256Point { try P256Point(key.point()) }

    /// The key as a JSON Web Key (RFC 7518 §6.2.1) with the members that are required, in the form that its thumbprint
    /// is made of (RFC 7638 §3): ordered by name, without white space.
    package func jwk() throws(CryptographyError) -> String {
        let point = try key.point()
        let (x, y) = (point[1...32], point[33...64])
        return #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
    }

    /// The key's thumbprint with SHA-256 (RFC 7638), in base64url.
    package func thumbprint() throws(CryptographyError) -> String {
        Base64URL.encode(SHA256.digest(of: try jwk().utf8))
    }
}

extension KeyHandle {
    /// Returns the point of a P-256 key, uncompressed: 4, and two coordinates of 32 bytes (SEC 1 §2.3.3).
    fileprivate func point() throws(CryptographyError) -> [UInt8] {
        let operation = "read a public key's point"
        var point = [UInt8](repeating: 0, count: 65)
        var count = 0
        try check(EVP_PKEY_get_octet_string_param(pointer, "pub", &point, point.count, &count), operation)
        guard count == point.count, point[0] == 4 else {
            throw CryptographyError(operation: operation, reason: "it is not an uncompressed point on P-256")
        }
        return point
    }
}
