import COpenSSL

extension VerifyingKey where Scheme == ES256 {
    /// Makes the key of a point, the form in which devices send their public keys.
    package convenience init(_ point: P256Point) throws(CryptographyError) {
        let der = Self.subjectPublicKeyInfo + point.bytes
        let pointer = der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var cursor = der.baseAddress
            return d2i_PUBKEY(nil, &cursor, der.count)
        }
        try self.init(KeyHandle(owning: unwrapped(pointer, "read a public key's point")))
    }

    /// Returns `true` if the signature, in DER, was made for the message with this key's private half.
    package func isValid(der signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        key.isValid(signature, for: message)
    }

    // The beginning of a SubjectPublicKeyInfo (RFC 5280 §4.1): the algorithm id-ecPublicKey with the name of P-256, and
    // the length of the point, which follows.
    private static var subjectPublicKeyInfo: [UInt8] {
        [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
    }
}
