package import HTTPTypes

/// The field in which proxies name the client of a request.
///
/// Only one counts: a proxy that writes one of them often passes on the other as the client sent it.
package enum ForwardedField: String, Hashable, Sendable, CaseIterable {
    /// `X-Forwarded-For`: addresses, separated by commas.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded` ([RFC 7239](https://www.rfc-editor.org/rfc/rfc7239)), with the address in the parameter `for`.
    case forwarded

    /// Returns the clients that proxies name, each the peer of the next proxy. A name is empty if a proxy leaves it
    /// out.
    func clients(in fields: HTTPFields) -> [String] {
        switch self {
        case .xForwardedFor:
            fields.lazy.filter { $0.name.canonicalName == rawValue }
                .flatMap { $0.value.split(separator: ",").map { $0.trimmed } }
        case .forwarded: fields.forwarded("for").map { $0 ?? "" }
        }
    }

    /// Returns `true` if a request has the field.
    func isPresent(in fields: HTTPFields) -> Bool { fields.contains { $0.name.canonicalName == rawValue } }
}

extension HTTPFields {
    /// Returns a parameter of each element of `Forwarded` (RFC 7239 §4); `nil` in place of those without it.
    ///
    /// - Parameter parameter: The name in lower case, such as `proto`.
    package func forwarded(_ parameter: String) -> [String?] {
        lazy.filter { $0.name.canonicalName == ForwardedField.forwarded.rawValue }
            .flatMap { $0.value.split(outsideQuotesAt: ",") }
            .map { element in
                for pair in element.split(outsideQuotesAt: ";") {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    if parts.count == 2, parts[0].trimmed.lowercased() == parameter { return parts[1].trimmed.unquoted }
                }
                return nil
            }
    }
}

extension StringProtocol {
    /// The text without the blanks at its ends (RFC 9110 §5.6.3).
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// Splits the text at a separator that is not in a quoted string (RFC 9110 §5.6.4).
    fileprivate func split(outsideQuotesAt separator: Character) -> [SubSequence] {
        var (isQuoted, isEscaped) = (false, false)
        return split { character in
            defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == separator && !isQuoted
        }
    }
}

extension String {
    /// The content of a quoted string, or the text itself.
    fileprivate var unquoted: String {
        guard count >= 2, hasPrefix("\""), hasSuffix("\"") else { return self }
        var isEscaped = false
        return String(
            dropFirst().dropLast().filter { character in
                isEscaped = !isEscaped && character == "\\"
                return !isEscaped
            })
    }
}
