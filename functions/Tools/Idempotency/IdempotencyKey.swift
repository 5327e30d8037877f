package import HTTPTypes

/// The key by which a client makes a request that may be repeated without a second effect: the value of
/// `Idempotency-Key` ([draft-ietf-httpapi-idempotency-key-header
/// §2.1](https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)).
///
/// The field is an item of structured fields (RFC 9651 §3.3.3) whose value is a string, such as `"8e03978e"`.
/// Parameters are ignored. Many clients leave out the quotation marks, so a bare word counts as the string.
package struct IdempotencyKey: Hashable, Sendable {
    /// The greatest length of a key, in bytes.
    static let maximumLength = 255

    /// The key without quotation marks: 1 to 255 printable characters of ASCII.
    package let value: String

    /// Reads the key of a request; `nil` if there is none.
    ///
    /// - Throws: ``IdempotencyError/invalidKey`` if the field is repeated or does not have the form.
    package init?(_ headerFields: HTTPFields) throws(IdempotencyError) {
        var text: String?
        for field in headerFields where field.name.canonicalName == "idempotency-key" {
            guard text == nil else { throw .invalidKey }
            text = field.value
        }
        guard let text else { return nil }
        guard let value = Self.value(of: text) else { throw .invalidKey }
        self.value = value
    }

    private static func value(of text: String) -> String? {
        let trimmed = text.trimmingWhitespace()
        var rest = trimmed.utf8[...]
        let isQuoted = rest.first == UInt8(ascii: "\"")
        guard let bytes = isQuoted ? quoted(&rest) : bare(&rest), (1...maximumLength).contains(bytes.count),
            rest.isEmpty || rest.first == UInt8(ascii: ";")
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes a string of structured fields (RFC 9651 §4.2.5) from the front.
    private static func quoted(_ rest: inout Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                bytes.append(escaped)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// Takes a word without quotation marks from the front. A comma would be the border to another item.
    private static func bare(_ rest: inout Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let byte = rest.first, byte != UInt8(ascii: ";") {
            guard (0x21...0x7E).contains(byte), !"\",\\".utf8.contains(byte) else { return nil }
            bytes.append(byte)
            rest.removeFirst()
        }
        return bytes
    }
}

/// The reason why a request with an `Idempotency-Key` is not processed.
package enum IdempotencyError: Error, Hashable, Sendable {
    /// The field does not have its form.
    case invalidKey
    /// The caller has used the key for another body at the same path.
    case reused
}

extension IdempotencyError {
    /// The mistake, and how to correct it.
    package var text: String {
        switch self {
        case .invalidKey:
            "Idempotency-Key must be one text of 1 to 255 printable ASCII characters in quotation marks, such as "
                + "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""
        case .reused:
            "this Idempotency-Key was used for a request with another body in the last 24 hours; make a key for each "
                + "request, and send it again only with the same body"
        }
    }
}
