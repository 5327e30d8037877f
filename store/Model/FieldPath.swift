/// A field, or a field within maps: the names on the way to it.
public struct FieldPath: Hashable, Sendable {
    /// One name at least.
    public let segments: [String]

    public init(segments: [String]) { self.segments = segments }

    /// The top-level field of exactly that name; dots in it mean nothing.
    public init(_ name: String) { segments = [name] }

    /// A document's name, to filter and order by.
    public static let documentName = FieldPath("__name__")

    var isDocumentName: Bool { segments == Self.documentName.segments }
}

extension FieldPath: ExpressibleByStringLiteral {
    /// One plain name, as ``init(_:)``.
    public init(stringLiteral value: String) { self.init(value) }
}

extension FieldPath {
    /// - Throws: `INVALID_ARGUMENT` unless every segment can be a field's name.
    func validate() throws(StoreError) {
        guard !segments.isEmpty else { throw .invalid("a field path without a name") }
        guard segments.count <= Limits.depth + 1 else {
            throw .invalid("a field path of \(segments.count) names: values nest at most \(Limits.depth) deep")
        }
        for name in segments { try Self.validate(name: name) }
    }

    static func validate(name: String) throws(StoreError) {
        let bytes = name.utf8
        if bytes.isEmpty { throw .invalid("an empty field name") }
        if bytes.count > Limits.nameSize {
            throw .invalid("a field name of \(bytes.count) bytes: at most \(Limits.nameSize) are allowed")
        }
        if bytes.first == UInt8(ascii: "_"), bytes.count >= 4, name.hasPrefix("__"), name.hasSuffix("__") {
            throw .invalid("the field name \"\(name)\" is reserved: it begins and ends with \"__\"")
        }
    }
}
