/// Base64 (RFC 4648 §4), the encoding in `bytesValue`. Decoding also accepts the URL-safe alphabet and missing
/// padding, as Firestore does.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encoded(bytes), as: UTF8.self)
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                result.append(index <= group.count ? alphabet[Int(bits >> (18 - 6 * index) & 63)] : padding)
            }
        }
        return result
    }

    /// Returns the decoded bytes; `nil` if the text is not base64.
    static func decode(_ text: String) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in unpadded(text) {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 { append(bits, count: 3, to: &result) }
        }
        let left = count % 4
        guard left != 1 else { return nil }
        if left > 0 { append(bits << (6 * UInt32(4 - left)), count: left - 1, to: &result) }
        return result
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func append(_ bits: UInt32, count: Int, to result: inout [UInt8]) {
        for index in 0..<count { result.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))) }
    }

    private static func unpadded(_ text: String) -> Substring.UTF8View {
        var bytes = text.utf8[...]
        for _ in 0..<2 where bytes.last == padding { bytes.removeLast() }
        return bytes
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
