import Texts

/// The path to a field, which may be inside maps: the names from the top level down.
public struct FieldPath: Sendable {
    /// The names; at least one.
    public let segments: [String]

    /// Makes a path of names, from the top level down.
    public init(segments: [String]) { self.segments = segments }

    /// Makes the path of the top-level field with exactly that name; dots in it have no meaning.
    public init(_ name: String) { segments = [name] }

    /// The document's own name, as a field to filter and order by.
    public static let documentName = FieldPath("__name__")

    var isDocumentName: Bool { self == Self.documentName }
}

extension FieldPath: Hashable {
    /// Compares the bytes of the names.
    public static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.segments.elementsEqual(right.segments) { $0.hasSameBytes(as: $1) }
    }

    /// Hashes the bytes of the names.
    public func hash(into hasher: inout Hasher) {
        for name in segments { name.hashBytes(into: &hasher) }
    }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// Makes a path of one name, as ``init(_:)`` does.
    public init(stringLiteral value: String) { self.init(value) }
}

extension FieldPath {
    /// Checks that each segment is a valid field name.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one is not.
    func validate() throws(StoreError) {
        guard !segments.isEmpty else { throw .invalid("a field path without a name") }
        guard segments.count <= Limits.depth + 1 else {
            throw .invalid("a field path of \(segments.count) names: values nest at most \(Limits.depth) deep")
        }
        for name in segments {
            if Self.isReserved(name) { throw .invalid("Invalid reserved name in field path \(name)") }
            try Self.validate(name: name)
        }
    }

    /// Checks that a text is a valid field name.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not.
    package static func validate(name: String) throws(StoreError) {
        let bytes = name.utf8
        if bytes.isEmpty { throw .invalid("an empty field name") }
        if bytes.count > Limits.nameSize {
            throw .invalid("a field name of \(bytes.count) bytes: at most \(Limits.nameSize) are allowed")
        }
        if isReserved(name) { throw reserved(name) }
    }

    /// Returns `true` if the name begins and ends with two underscores.
    static func isReserved(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.first == UInt8(ascii: "_"), bytes.count >= 4 else { return false }
        // Not by characters: a mark after an underscore is part of its character.
        return bytes.starts(with: "__".utf8) && bytes.suffix(2).elementsEqual("__".utf8)
    }

    static func reserved(_ name: String) -> StoreError { .invalid("field name \(name) is reserved") }
}

extension FieldPath {
    /// Parses names joined by dots, such as `address.city`, the form in masks and query strings.
    ///
    /// Plain names (`[A-Za-z_][A-Za-z0-9_]*`) need no quotes. Other names are between backquotes (U+0060), with a
    /// backslash before each backquote or backslash in them
    /// ([DocumentMask](https://firebase.google.com/docs/firestore/reference/rest/v1/DocumentMask)).
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other text.
    public init(parsing text: String) throws(StoreError) {
        if let names = FieldPathParser.plainNames(text) {
            self.init(segments: names)
            return
        }
        var parser = FieldPathParser(text)
        self.init(segments: try parser.segments())
    }
}

extension FieldPath: CustomStringConvertible {
    /// The path as text, in the form that ``init(parsing:)`` reads.
    public var description: String { segments.map(Self.quoted).joined(separator: ".") }

    private static func quoted(_ name: String) -> String {
        if FieldPathParser.isPlain(name) { return name }
        let escaped = name.unicodeScalars.map { $0 == "`" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "`\(escaped)`"
    }
}

/// Parses the text of a field path.
private struct FieldPathParser {
    private let text: String
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        self.text = text
        rest = text[...].unicodeScalars
    }

    /// Returns the names of a path without quotes, as nearly all are; `nil` for one with quotes, or none.
    static func plainNames(_ text: String) -> [String]? {
        var isWithinName = false
        for byte in text.utf8 {
            switch byte {
            case _ where byte.isASCIILetter || byte == UInt8(ascii: "_"): isWithinName = true
            case _ where byte.isASCIIDigit && isWithinName: continue
            case dot where isWithinName: isWithinName = false
            default: return nil
            }
        }
        return isWithinName ? text.utf8.split(separator: dot).map { String(Substring($0)) } : nil
    }

    private static let dot = UInt8(ascii: ".")

    static func isPlain(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
        return name.utf8.allSatisfy(isOfPlainName)
    }

    private static func isOfPlainName(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }

    mutating func segments() throws(StoreError) -> [String] {
        guard !text.isEmpty else { throw .invalid("Invalid empty property path string.") }
        var segments = [try segment()]
        while let next = rest.popFirst() {
            guard next == "." else { throw malformed }
            segments.append(try segment())
        }
        return segments
    }

    private mutating func segment() throws(StoreError) -> String {
        rest.first == "`" ? try quoted() : try plain()
    }

    private mutating func plain() throws(StoreError) -> String {
        let name = rest.prefix { UInt8(exactly: $0.value).map(Self.isOfPlainName) ?? false }
        rest = rest[name.endIndex...]
        guard Self.isPlain(Substring(name)) else { throw malformed }
        return String(name)
    }

    private mutating func quoted() throws(StoreError) -> String {
        rest.removeFirst()
        var name = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "`":
                guard !name.isEmpty else { throw malformed }
                return String(name)
            case "\\":
                guard let escaped = rest.popFirst(), escaped == "`" || escaped == "\\" else { throw malformed }
                name.append(escaped)
            default: name.append(scalar)
            }
        }
        throw malformed
    }

    private var malformed: StoreError {
        .invalid(
            #"""
            Invalid property path "\#(text)". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and \#
            quoted property paths must match regex (`(?:[^`\\]|(?:\\.))+`)
            """#)
    }
}

extension Fields {
    /// Returns the value at the path, through maps; `nil` if there is none. A vector is not a map here.
    package func value(at path: FieldPath) -> Value? {
        path.segments.first.flatMap { self[$0] }?.value(at: path.segments.dropFirst())
    }

    /// Sets the value at the path and creates the maps on the way, also in place of a vector. `nil` removes the value
    /// and creates no maps.
    mutating func set(_ value: Value?, at path: FieldPath) {
        set(value, at: path.segments[...])
    }

    private mutating func set(_ value: Value?, at segments: ArraySlice<String>) {
        guard let name = segments.first else { return }
        guard segments.count > 1 else {
            self[name] = value
            return
        }
        var map: Fields = [:]
        if let inner = self[name]?.fieldsOfPath {
            map = inner
        } else if value == nil {
            return
        }
        // The map has one owner, so that the change does not copy it.
        self[name] = nil
        map.set(value, at: segments.dropFirst())
        self[name] = .map(map)
    }
}

extension Value {
    /// Returns the value at the end of a path through maps; this one if the path is empty, and `nil` if there is none.
    func value(at names: ArraySlice<String>) -> Value? {
        var value = self
        for name in names {
            guard let inner = value.fieldsOfPath?[name] else { return nil }
            value = inner
        }
        return value
    }
}
