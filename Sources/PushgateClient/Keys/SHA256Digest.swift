#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import Crypto
#endif

/// SHA-256 as the gateway writes its keys.
enum SHA256Digest {
    /// The digest of the text's UTF-8, as 64 lower-case hexadecimal digits.
    static func hexadecimal(of text: String) -> String {
        Hexadecimal.lowercase(SHA256.hash(data: Array(text.utf8)))
    }
}

enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func lowercase(_ bytes: some Sequence<UInt8>) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
