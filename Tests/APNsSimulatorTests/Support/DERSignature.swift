/// An ECDSA signature in OpenSSL's form: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3).
struct DERSignature {
    let bytes: [UInt8]

    /// - Parameter raw: r and s, 32 bytes each.
    init(raw: [UInt8]) {
        let content = Self.integer(raw.prefix(32)) + Self.integer(raw.suffix(32))
        bytes = [0x30, UInt8(content.count)] + content
    }

    private static func integer(_ magnitude: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(magnitude.drop { $0 == 0 })
        if (digits.first ?? 0) >= 0x80 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
