/// Firestore's limits ([quotas](https://firebase.google.com/docs/firestore/quotas)).
enum Limits {
    /// The limit of a document, in bytes as ``StorageSize`` counts them.
    static let documentSize = 1_048_576
    /// The limit of one field's value, in bytes.
    static let valueSize = 1_048_487
    /// The limit of an id or a field name, in UTF-8 bytes.
    static let nameSize = 1_500
    /// The limit of a path, in segments.
    static let pathSegments = 100
    /// The limit of maps and arrays around a value.
    static let depth = 20
}

/// The size in bytes that Firestore counts for a document or a value
/// ([storage size](https://firebase.google.com/docs/firestore/storage-size)).
enum StorageSize {
    static func document(_ path: DocumentPath, _ fields: Fields) -> Int {
        name(path.description) + map(fields) + 32
    }

    static func value(_ value: Value) -> Int {
        switch value {
        case .null, .boolean: 1
        case .integer, .double, .timestamp: 8
        case .string(let string): string.utf8.count + 1
        case .bytes(let bytes): bytes.count
        case .reference(let reference): name(reference)
        case .geoPoint: 16
        case .array(let elements): elements.reduce(0) { $0 + self.value($1) }
        case .map(let fields): map(fields)
        }
    }

    private static func map(_ fields: Fields) -> Int {
        fields.reduce(0) { $0 + $1.key.utf8.count + 1 + value($1.value) }
    }

    /// Each segment counts its bytes and one more; the name counts 16 in addition.
    private static func name(_ path: String) -> Int { path.utf8.count + 1 + 16 }
}

extension Fields {
    /// Checks names, values and nesting. ``validateSize(at:)`` checks the size of the whole document.
    ///
    /// - Throws: `INVALID_ARGUMENT`, with the name of the top-level field.
    func validate() throws(StoreError) {
        for (name, value) in self {
            try FieldPath.validate(name: name)
            do throws(StoreError) {
                try value.validate(depth: 0)
            } catch {
                throw .invalid("field \"\(name)\": \(error.message)")
            }
            try value.validateSize(of: name)
        }
    }

    /// Checks the size of the whole document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the document is too large.
    func validateSize(at path: DocumentPath) throws(StoreError) {
        let size = StorageSize.document(path, self)
        guard size <= Limits.documentSize else {
            throw .invalid(
                "the document \(path.brief) would be \(size) bytes: at most \(Limits.documentSize) are allowed")
        }
    }
}

extension Value {
    /// Checks the value and those inside it.
    ///
    /// - Parameter depth: the number of maps and arrays around the value.
    func validate(depth: Int) throws(StoreError) {
        switch self {
        case .array(let elements):
            try Self.enter(depth)
            for element in elements {
                if case .array = element { throw .invalid("an array cannot hold an array directly; put a map between") }
                try element.validate(depth: depth + 1)
            }
        case .map(let fields):
            try Self.enter(depth)
            for (name, value) in fields {
                try FieldPath.validate(name: name)
                try value.validate(depth: depth + 1)
            }
        case .geoPoint(let latitude, let longitude):
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
                throw .invalid("a geo point's latitude is -90 to 90 and its longitude -180 to 180 degrees")
            }
        case .reference(let name): try Self.validateReference(name)
        default: break
        }
    }

    private static func enter(_ depth: Int) throws(StoreError) {
        guard depth < Limits.depth else { throw .invalid("maps and arrays nest at most \(Limits.depth) deep") }
    }

    private static func validateReference(_ name: String) throws(StoreError) {
        let parts = name.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents" else {
            throw .invalid("a reference is projects/{project}/databases/{database}/documents/{path}")
        }
        _ = try DocumentPath(String(parts[5]))
    }

    fileprivate func validateSize(of field: String) throws(StoreError) {
        let size = StorageSize.value(self)
        guard size <= Limits.valueSize else {
            throw .invalid("the field \"\(field)\" is \(size) bytes: at most \(Limits.valueSize) are allowed")
        }
    }
}
