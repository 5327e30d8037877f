/// Firestore's limits ([quotas](https://firebase.google.com/docs/firestore/quotas)).
enum Limits {
    /// The limit of a document, in bytes as ``StorageSize`` counts them.
    static let documentSize = 1_048_576
    /// The limit of a field's string, in bytes of UTF-8, or of its bytes.
    static let valueSize = 1_048_487
    /// The limit of an id or a field name, in UTF-8 bytes.
    static let nameSize = 1_500
    /// The limit of a path, in segments.
    static let pathSegments = 100
    /// The limit of a stored document's name, in bytes as ``StorageSize`` counts them.
    static let documentName = 6 << 10
    /// The limit of a commit's transforms of one document.
    static let transforms = 500
    /// The limit of maps and arrays around a value.
    static let depth = 20
    /// The limit of a vector, in elements.
    static let vectorDimensions = 2_048
    /// The limit of a document in a database with automatic indexes, in entries.
    static let indexEntries = 40_000
    /// The limit of an entry, in bytes of its field and its value.
    static let indexEntrySize = 7_680
    /// The limit of a document's entries together, in bytes.
    static let indexEntriesSize = 8 << 20
}

/// The size in bytes that Firestore counts for a document or a value
/// ([storage size](https://firebase.google.com/docs/firestore/storage-size)).
enum StorageSize {
    static func document(_ path: DocumentPath, _ fields: Fields) -> Int {
        name(path.description) + map(fields) + 32
    }

    static func name(of path: DocumentPath) -> Int { name(path.description) }

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
