#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// SHA-256 digests in the form of the gateway's keys.
enum SHA256Digest {
    /// Returns the digest of the text's UTF-8 as 64 lower-case hexadecimal digits.
    static func hexadecimal(of text: String) -> String { HexadecimalText.lowercase(bytes(of: Array(text.utf8))) }

    /// Returns the digest of the bytes: 32 bytes.
    static func bytes(of bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}

/// Hexadecimal text for bytes.
enum HexadecimalText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The keys of servers and agents in the gateway and in notifications.
public enum PushKeys {
    /// Returns the `server_key`: the SHA-256 of the trimmed secret as 64 lower-case hexadecimal digits.
    public static func serverKey(secret: String) -> String { SHA256Digest.hexadecimal(of: secret.trimmingBlanks()) }

    /// Returns the `agent_key`: the SHA-256 of the trimmed path as 64 lower-case hexadecimal digits. It is also the
    /// notification's thread id and collapse id.
    public static func agentKey(cwd: String) -> String { SHA256Digest.hexadecimal(of: cwd.trimmingBlanks()) }
}

extension String {
    /// Returns the text without leading and trailing white space, by scalars, as the gateway trims before it hashes.
    func trimmingBlanks() -> String {
        guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
            let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}

extension Unicode.Scalar {
    /// `true` for Unicode's white space without U+0085, and the byte order mark, as in ECMAScript.
    fileprivate var isBlank: Bool { properties.isWhitespace && self != "\u{85}" || self == "\u{FEFF}" }
}
