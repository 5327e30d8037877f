/// An entry of a document in the automatic indexes: one value of one field.
///
/// A document has an entry for each field, also those inside maps, and for each different element of an array.
struct FieldEntry: Hashable, Sendable {
    /// The name of the index of a field, in UTF-8.
    let field: [UInt8]
    /// The beginning of the value's ``SortKey``.
    let key: [UInt8]

    /// The number of bytes of a value that are indexed; as in Firestore
    /// ([limits](https://firebase.google.com/docs/firestore/quotas#indexes)). Values with the same beginning have the
    /// same key, so an index narrows a query down to documents of which it tests the fields.
    static let longestKey = 1_500

    /// Returns the entries of a document.
    static func entries(of fields: Fields) -> Set<FieldEntry> {
        var entries: Set<FieldEntry> = []
        add(fields, below: [], to: &entries)
        return entries
    }

    private static func add(_ fields: Fields, below parent: [String], to entries: inout Set<FieldEntry>) {
        for (name, value) in fields {
            let path = FieldPath(segments: parent + [name])
            entries.insert(FieldEntry(field: self.name(of: path), value))
            if case .array(let elements) = value {
                for element in elements { entries.insert(FieldEntry(field: elementName(of: path), element)) }
            }
            if let inner = value.fieldsOfPath { add(inner, below: path.segments, to: &entries) }
        }
    }

    private init(field: String, _ value: Value) {
        self.field = Array(field.utf8)
        key = Self.key(of: value)
    }

    /// Returns the name of the index of a field's values.
    static func name(of field: FieldPath) -> String { StoredString.escape(field.description) }

    /// Returns the name of the index of the elements in a field's arrays. No field has such a name without backquotes.
    static func elementName(of field: FieldPath) -> String { name(of: field) + "[]" }

    static func key(of value: Value) -> [UInt8] { shortened(SortKey(value).bytes) }

    /// Returns the key for a sort key. Shortened keys are in the order of the whole ones, or equal.
    static func shortened(_ key: [UInt8]) -> [UInt8] { Array(key.prefix(longestKey)) }
}
