import COpenSSL

extension SigningKey where Scheme == ES256 {
    /// Makes the key of a bare private half, the form in which tools for Web Push print VAPID keys.
    ///
    /// - Parameter scalar: a number of 32 bytes, big-endian, from 1 to the order of the curve less 1.
    package convenience init(scalar: [UInt8]) throws(CryptographyError) {
        // OpenSSL computes the public half from a number that it does not check.
        _ = try P256Scalar(scalar)
        let der = Self.version + Self.octets + scalar + Self.curve
        let pointer = der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var cursor = der.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, der.count)
        }
        try self.init(KeyHandle(owning: unwrapped(pointer, "read the private key")))
    }

    // An ECPrivateKey without its public half (RFC 5915 §3): 1, the number in 32 octets, and the name of P-256.
    private static var version: [UInt8] { [0x30, 0x31, 0x02, 0x01, 0x01] }
    private static var octets: [UInt8] { [0x04, 0x20] }
    private static var curve: [UInt8] {
        [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    }
}
