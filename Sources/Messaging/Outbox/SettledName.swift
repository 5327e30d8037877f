/// An id or a path within the text of ``SettledTargets``: the separators, what JSON would escape, and the percent sign
/// itself are percent-encoded (RFC 3986 §2.1), all else is as it is.
enum SettledName {
    static func encode(_ name: String) -> String {
        guard name.utf8.contains(where: isEscaped) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isEscaped(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name, or `nil` if the text is not an encoded one.
    static func decode(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || escaped.contains(byte)
    }

    private static let escaped = Array("%;,\"\\".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)
}
