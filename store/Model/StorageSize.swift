/// The size in bytes that Firestore counts for a document, a value or an index entry
/// ([storage size](https://firebase.google.com/docs/firestore/storage-size)).
enum StorageSize {
    /// Returns the size of a document.
    ///
    /// - Parameter fields: the size of its fields.
    static func document(_ path: DocumentPath, fields: Int) -> Int { name(of: path) + fields + 32 }

    static func name(of path: DocumentPath) -> Int { name(path.description) }

    static func fields(_ fields: Fields) -> Int { fields.reduce(0) { $0 + field($1.key, $1.value) } }

    static func field(_ name: String, _ value: Value) -> Int { self.name(ofField: name) + self.value(value) }

    static func value(_ value: Value) -> Int {
        switch value {
        case .null, .boolean: 1
        case .integer, .double, .timestamp: 8
        case .string(let string): string.utf8.count + 1
        case .bytes(let bytes): bytes.count
        case .reference(let reference): name(ofReference: reference)
        case .geoPoint: 16
        case .array(let elements): elements.reduce(0) { $0 + self.value($1) }
        case .map(let fields): value.vectorDimensions.map { 8 * $0 } ?? self.fields(fields)
        }
    }

    /// Returns the number of bytes by which fields grow if ``Fields/set(_:at:)`` sets or removes a value. It takes as
    /// long as the old value and the new one are.
    static func growth(of fields: Fields, setting value: Value?, at path: FieldPath) -> Int {
        var level = fields
        for (position, name) in path.segments.enumerated() {
            let rest = path.segments[(position + 1)...]
            let old = level[name]
            if !rest.isEmpty, let inner = old?.fieldsOfPath {
                level = inner
                continue
            }
            // Without a value, a field in the way stays.
            if value == nil, !rest.isEmpty { return 0 }
            let new = value.map { value in
                rest.reduce(self.name(ofField: name) + self.value(value)) { $0 + self.name(ofField: $1) }
            }
            return (new ?? 0) - (old.map { field(name, $0) } ?? 0)
        }
        return 0
    }

    /// Checks the size of a whole document.
    ///
    /// - Parameter fields: the size of its fields.
    /// - Throws: `INVALID_ARGUMENT` if the document is too large.
    static func validate(fields: Int, at path: DocumentPath) throws(StoreError) {
        let size = document(path, fields: fields)
        guard size <= Limits.documentSize else {
            throw .invalid(
                "the document \(path.brief) would be \(size) bytes: at most \(Limits.documentSize) are allowed")
        }
    }

    private static func name(ofField name: String) -> Int { name.utf8.count + 1 }

    /// Each id counts its bytes and one more; the name counts 16 in addition.
    private static func name(_ path: String) -> Int { path.utf8.count + 1 + 16 }

    /// The project and the database of a reference do not count.
    private static func name(ofReference name: String) -> Int {
        let parts = name.utf8.split(separator: PathText.separator, maxSplits: 5, omittingEmptySubsequences: false)
        return parts.count < 6 ? self.name(name) : parts[5].count + 1 + 16
    }
}

extension StorageSize {
    /// Returns the part of an index entry's size that all entries of a document in an index of one field have: its
    /// name, the name of the document above it, and 32 bytes.
    static func indexEntryBase(_ path: DocumentPath) -> Int {
        name(of: path) + (path.collection.parent.map(name(of:)) ?? 0) + 32
    }

    /// Returns the same part for the entries in indexes over the group of the document's collection: its name, and 48
    /// bytes.
    static func groupIndexEntryBase(_ path: DocumentPath) -> Int { name(of: path) + 48 }

    /// Returns the rest of an index entry's size: the field's name and the value, of which only the indexed beginning
    /// counts.
    static func indexEntry(field: String, _ value: Value, longest: Int) -> Int {
        name(ofField: field) + min(self.value(value), longest)
    }
}

extension Value {
    /// The number of a vector's elements; `nil` if this is another type.
    fileprivate var vectorDimensions: Int? {
        guard case .map(let fields) = self, fields.count == 2, TaggedMap.isVector(fields) else { return nil }
        return fields[TaggedMap.elementsName]?.array?.count
    }
}
