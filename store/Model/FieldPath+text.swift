extension FieldPath {
    /// Parses `a.b` or `` a.`b c` ``, the form of masks and of query strings: plain names (`[A-Za-z_][A-Za-z0-9_]*`)
    /// stand as they are, others between backquotes, with a backslash before a backquote or backslash in them
    /// ([DocumentMask](https://firebase.google.com/docs/firestore/reference/rest/v1/DocumentMask)).
    ///
    /// - Throws: `INVALID_ARGUMENT` for anything else.
    public init(parsing text: String) throws(StoreError) {
        var parser = FieldPathParser(text)
        self.init(segments: try parser.segments())
    }
}

extension FieldPath: CustomStringConvertible {
    /// The form that ``init(parsing:)`` reads.
    public var description: String { segments.map(Self.quoted).joined(separator: ".") }

    private static func quoted(_ name: String) -> String {
        if FieldPathParser.isPlain(name) { return name }
        let escaped = name.unicodeScalars.map { $0 == "`" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "`\(escaped)`"
    }
}

private struct FieldPathParser {
    private let text: String
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
    }

    static func isPlain(_ name: some StringProtocol) -> Bool {
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
        return name.unicodeScalars.allSatisfy(isPlain)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    mutating func segments() throws(StoreError) -> [String] {
        var segments = [try segment()]
        while let next = rest.popFirst() {
            guard next == "." else { throw malformed("names are joined by dots") }
            segments.append(try segment())
        }
        return segments
    }

    private mutating func segment() throws(StoreError) -> String {
        rest.first == "`" ? try quoted() : try plain()
    }

    private mutating func plain() throws(StoreError) -> String {
        let name = rest.prefix(while: Self.isPlain)
        rest = rest[name.endIndex...]
        guard Self.isPlain(Substring(name)) else {
            throw malformed("a name that is not letters, digits and underscores stands between backquotes")
        }
        return String(name)
    }

    private mutating func quoted() throws(StoreError) -> String {
        rest.removeFirst()
        var name = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "`":
                guard !name.isEmpty else { throw malformed("a name is not empty") }
                return String(name)
            case "\\":
                guard let escaped = rest.popFirst() else { throw malformed("a backslash with nothing after it") }
                name.append(escaped)
            default: name.append(scalar)
            }
        }
        throw malformed("a backquote is not closed")
    }

    private func malformed(_ reason: String) -> StoreError { .invalid("the field path \"\(text)\": \(reason)") }
}
