/// An entry of a document in the automatic indexes: one value of one field.
///
/// A document has an entry for each field, also those inside maps, and for each different element of an array.
package struct FieldEntry: Hashable, Sendable {
    /// The name of the index of a field, in UTF-8.
    package let field: [UInt8]
    /// The beginning of the value's ``SortKey``.
    package let key: [UInt8]

    /// The number of bytes of a value that are indexed; as in Firestore
    /// ([limits](https://firebase.google.com/docs/firestore/quotas#indexes)). Values with the same beginning have the
    /// same key, so an index narrows a query down to documents of which it tests the fields.
    static let longestKey = 1_500

    /// Returns the entries of a document.
    ///
    /// - Parameter indexes: the declared indexes. Those over the group of the document's collection have entries of it
    ///   too, which count and are not returned.
    /// - Throws: `INVALID_ARGUMENT` if they are too many, or too large.
    package static func entries(
        of fields: Fields, at path: DocumentPath, declared indexes: [FieldIndex] = []
    ) throws(StoreError) -> Set<FieldEntry> {
        var entries = DocumentEntries(path: path)
        try entries.add(fields, below: [])
        for field in indexes.fields(of: path.collection.id) {
            if let value = fields.value(at: field) { try entries.countInGroup(value, of: field.description) }
        }
        return entries.all
    }

    fileprivate init(index name: String, _ value: Value) {
        field = Array(name.utf8)
        key = Self.key(of: value)
    }

    /// Returns the name of the index of a field's values.
    package static func name(of field: FieldPath) -> String { StoredString.escape(field.description) }

    /// Returns the field whose index has the name.
    package static func field(named name: String) throws(StoreError) -> FieldPath {
        try FieldPath(parsing: StoredString.unescape(name))
    }

    /// Returns the name of the index of the elements in a field's arrays. No field has such a name without backquotes.
    static func elementName(of field: FieldPath) -> String { name(of: field) + "[]" }

    package static func key(of value: Value) -> [UInt8] { SortKey.beginning(of: value, length: longestKey) }

    /// Returns the key for a sort key. Shortened keys are in the order of the whole ones, or equal.
    static func shortened(_ key: [UInt8]) -> [UInt8] { Array(key.prefix(longestKey)) }
}

/// The entries of one document, while they are collected. Each has the whole path of its field, so a document can have
/// entries of thousands of times its own size.
private struct DocumentEntries {
    let path: DocumentPath
    private let base: Int
    private(set) var all: Set<FieldEntry> = []
    /// The number of entries, with those in indexes over the collection's group.
    private var count = 0
    private var bytes = 0

    init(path: DocumentPath) {
        self.path = path
        base = StorageSize.indexEntryBase(path)
    }

    mutating func add(_ fields: Fields, below parent: [String]) throws(StoreError) {
        for (name, value) in fields {
            let field = FieldPath(segments: parent + [name])
            let text = field.description
            try insert(value, of: text, index: FieldEntry.name(of: field))
            if case .array(let elements) = value {
                let name = FieldEntry.elementName(of: field)
                for element in elements { try insert(element, of: text, index: name) }
            }
            if let inner = value.fieldsOfPath { try add(inner, below: field.segments) }
        }
    }

    /// Counts the entry in an index over the collection's group.
    mutating func countInGroup(_ value: Value, of field: String) throws(StoreError) {
        try note(size(of: value, field, base: StorageSize.groupIndexEntryBase(path)))
    }

    private mutating func insert(_ value: Value, of field: String, index name: String) throws(StoreError) {
        let size = try size(of: value, field, base: base)
        if all.insert(FieldEntry(index: name, value)).inserted { try note(size) }
    }

    /// Returns the size of an entry.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is too large.
    private func size(of value: Value, _ field: String, base: Int) throws(StoreError) -> Int {
        let size = base + StorageSize.indexEntry(field: field, value, longest: FieldEntry.longestKey)
        guard size <= Limits.indexEntrySize else {
            throw tooLarge("an index entry of \(size) bytes for \(field.prefix(100))…", Limits.indexEntrySize)
        }
        return size
    }

    private mutating func note(_ size: Int) throws(StoreError) {
        count += 1
        bytes += size
        guard count <= Limits.indexEntries else { throw tooLarge("too many index entries", Limits.indexEntries) }
        guard bytes <= Limits.indexEntriesSize else {
            throw tooLarge("too large index entries, together in bytes", Limits.indexEntriesSize)
        }
    }

    private func tooLarge(_ problem: String, _ limit: Int) -> StoreError {
        .invalid(
            "the document \(path.brief) would have \(problem): at most \(limit) are allowed in a database with automatic "
                + "indexes, which have an entry for each field and each element of an array")
    }
}
