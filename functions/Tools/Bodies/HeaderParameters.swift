/// A parser for header field values with parameters: `form-data; name="photo"` (RFC 9110 §5.6.6).
enum HeaderParameters {
    /// - Returns: The value, and the parameters with their names in lower case; `nil` if the text is malformed or
    ///   repeats a parameter.
    static func parse(_ text: String) -> (value: String, parameters: [String: String])? {
        var rest = text[...]
        let value = rest.prefix { $0 != ";" }.trimmingWhitespace().lowercased()
        guard !value.isEmpty else { return nil }
        rest = rest.drop { $0 != ";" }
        var parameters: [String: String] = [:]
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty { break }
            guard let (name, text) = parameter(&rest), parameters.updateValue(text, forKey: name) == nil else {
                return nil
            }
        }
        return rest.isEmpty ? (value, parameters) : nil
    }

    /// Removes `name=token` or `name="text"` from the beginning, and the blanks after it.
    private static func parameter(_ rest: inout Substring) -> (name: String, text: String)? {
        let name = rest.prefix(while: isTokenCharacter)
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty, rest.first == "=" else { return nil }
        rest = rest.dropFirst()
        let text: String
        if rest.first == "\"" {
            guard let quoted = quotedString(&rest) else { return nil }
            text = quoted
        } else {
            let token = rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            guard !token.isEmpty else { return nil }
            rest = rest.dropFirst(token.count)
            text = String(token)
        }
        rest = rest.drop { $0 == " " || $0 == "\t" }
        return (name.lowercased(), text)
    }

    /// Reads a quoted string. A backslash quotes a quotation mark or itself. Elsewhere it stands for itself, as in
    /// the paths that some clients send.
    private static func quotedString(_ rest: inout Substring) -> String? {
        var text = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return text }
            if character == "\\", rest.first == "\"" || rest.first == "\\", let quoted = rest.popFirst() {
                text.append(quoted)
            } else {
                text.append(character)
            }
        }
        return nil
    }

    private static func isTokenCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }
}
