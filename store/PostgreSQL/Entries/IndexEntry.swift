import DocumentStore

/// A row of the table `entries`: one value of one field of a document.
struct IndexEntry: Hashable {
    /// The index: the collection, or the group of collections, of which it has all documents.
    let scope: [UInt8]
    let field: [UInt8]
    /// The beginning of the value's sort key.
    let key: [UInt8]
    /// The path of the document's collection; empty if that is the scope.
    let parent: [UInt8]
    let document: [UInt8]

    /// Returns the entries of a document.
    ///
    /// - Parameters:
    ///   - automatic: its entries in the automatic indexes; `nil` if the database has none.
    ///   - declared: the fields with an index over the collection's group.
    /// - Throws: `DATA_LOSS` if its fields cannot be read.
    static func entries(
        of stored: StoredDocument, at path: DocumentPath, _ key: RowKey, automatic: Set<FieldEntry>?,
        declared: [DeclaredField]
    ) throws(StoreError) -> Set<IndexEntry> {
        guard automatic != nil || !declared.isEmpty else { return [] }
        let (parent, document, collection) = key.columns
        var entries: Set<IndexEntry> = []
        for entry in automatic ?? [] {
            entries.insert(
                IndexEntry(
                    scope: parent, field: ColumnLimits.shortened(entry.field), key: shortened(entry.key), parent: [],
                    document: document))
        }
        guard !declared.isEmpty else { return entries }
        let fields = try stored.fields(at: path)
        let scope = IndexScope.group(collection)
        for field in declared {
            guard let value = fields.value(at: field.path) else { continue }
            entries.insert(
                IndexEntry(
                    scope: scope, field: field.column, key: shortened(FieldEntry.key(of: value)), parent: parent,
                    document: document))
        }
        return entries
    }

    /// Returns the key in its column. Shortened keys are in the order of the whole ones, or equal.
    static func shortened(_ key: [UInt8]) -> [UInt8] { Array(key.prefix(ColumnLimits.key)) }

    /// Returns the columns of entries.
    static func columns(of entries: [IndexEntry]) -> [Parameter] {
        [
            .texts(entries.map(\.scope)), .texts(entries.map(\.field)), .blobs(entries.map(\.key)),
            .texts(entries.map(\.parent)), .texts(entries.map(\.document)),
        ]
    }
}

/// The names of scopes in the table `entries`. That of a collection is its path.
enum IndexScope {
    /// The bounds of the names of groups; no path begins with a separator.
    static let (firstGroup, afterGroups) = (StoredName.separator, StoredName.afterSeparator)

    /// Returns the name for a group of collections.
    ///
    /// - Parameter id: the collections' id as in the column `collection`.
    static func group(_ id: [UInt8]) -> [UInt8] { Array(firstGroup.utf8) + id }
}
