import COpenSSL

/// The two forms of an ECDSA signature on P-256: OpenSSL's DER `SEQUENCE { r, s }` and JOSE's `r || s`.
///
/// JSON web tokens have the second: r and s as 32 big-endian bytes each, with leading zeros (RFC 7518 §3.4).
enum ES256Signature {
    /// The number of bytes of `r || s`.
    static let byteCount = 64
    private static let halfCount: Int32 = 32

    /// Returns `r || s`, 64 bytes, from DER.
    static func raw(fromDER der: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let operation = "read an ECDSA signature"
        let signature = try unwrapped(decoded(der), operation)
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: byteCount)
        let written = raw.withUnsafeMutableBufferPointer { buffer in
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), buffer.baseAddress, halfCount)
                + BN_bn2binpad(ECDSA_SIG_get0_s(signature), buffer.baseAddress.map { $0 + Int(halfCount) }, halfCount)
        }
        guard written == Int32(byteCount) else { throw .fromOpenSSL(operation) }
        return raw
    }

    /// Returns DER from `r || s`; `nil` if `raw` does not have 64 bytes, or memory is short.
    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == byteCount, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = raw.withUnsafeBufferPointer { buffer in
            (
                BN_bin2bn(buffer.baseAddress, halfCount, nil),
                BN_bin2bn(buffer.baseAddress.map { $0 + Int(halfCount) }, halfCount, nil)
            )
        }
        // The signature owns both numbers only after this succeeds.
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        return encoded(signature)
    }

    private static func decoded(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
    }

    private static func encoded(_ signature: OpaquePointer) -> [UInt8]? {
        let capacity = i2d_ECDSA_SIG(signature, nil)
        guard capacity > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(capacity)) { buffer, count in
            var cursor = buffer.baseAddress
            count = Int(max(0, i2d_ECDSA_SIG(signature, &cursor)))
        }
    }
}
