import Cryptography
import Texts

/// Texts of header fields that clients have encoded, since their libraries send ASCII only: words such as
/// `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`, among others that are not encoded (RFC 2047).
enum EncodedWords {
    private enum Charset {
        case ascii, latin1, utf8
    }

    /// Returns a text with its encoded words decoded; the text itself if that is not UTF-8. A word of another form or
    /// character set stays as it is.
    static func decoded(_ text: String) -> String {
        guard text.contains("=?") else { return text }
        var rest = Array(text.utf8)[...]
        var decoded: [UInt8] = []
        // Blanks between two encoded words separate nothing (§6.2), so a character may be in both words.
        var blanks: [UInt8] = []
        var followsWord = false
        while let first = rest.first {
            if let word = word(in: rest) {
                decoded += word.bytes
                (blanks, followsWord) = ([], true)
                rest = rest[word.end...]
                continue
            }
            if followsWord, first.isBlank {
                blanks.append(first)
            } else {
                decoded += blanks
                decoded.append(first)
                (blanks, followsWord) = ([], false)
            }
            rest = rest.dropFirst()
        }
        return String(validating: decoded + blanks, as: UTF8.self) ?? text
    }

    /// Returns the bytes of an encoded word at the beginning of a text, in UTF-8, and its end; `nil` if there is none.
    private static func word(in text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        guard text.starts(with: "=?".utf8) else { return nil }
        let parts = text.dropFirst(2).split(
            separator: UInt8(ascii: "?"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[3].first == UInt8(ascii: "="), !parts[2].contains(where: \.isBlank),
            let charset = charset(named: parts[0])
        else { return nil }
        let content: [UInt8]? =
            switch String(decoding: parts[1], as: UTF8.self) {
            case "B", "b": base64(parts[2])
            case "Q", "q": quoted(parts[2])
            default: nil
            }
        guard let bytes = content else { return nil }
        switch charset {
        case .ascii where !bytes.allSatisfy({ $0 < 0x80 }): return nil
        case .latin1: return (bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }, parts[3].startIndex + 1)
        case .ascii, .utf8: return (bytes, parts[3].startIndex + 1)
        }
    }

    /// A language may follow the name, after a star (RFC 2231 §5).
    private static func charset(named name: ArraySlice<UInt8>) -> Charset? {
        switch String(decoding: name.prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self).lowercased() {
        case "utf-8": .utf8
        case "us-ascii": .ascii
        case "iso-8859-1": .latin1
        default: nil
        }
    }

    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64URL.decode(
            String(decoding: text, as: UTF8.self).replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_"))
    }

    /// Decodes the Q encoding (§4.2): `=` and two hexadecimal digits for a byte, and `_` for a space.
    private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var (rest, bytes) = (text, [UInt8]())
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "="):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy(\.isASCIIHexDigit),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            default: bytes.append(first)
            }
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
