/// The columns of `documents` that indexes use. In each collection group, a declared ``FieldIndex`` has one of them;
/// in another group, the same column serves another index.
struct IndexSlots: Sendable {
    private struct Group {
        /// The id of the collections as a ``StoredName``.
        let id: [UInt8]
        let slots: [IndexSlot]
    }

    private let groups: [Group]
    /// The number of columns in use.
    let count: Int
    /// The indexed fields of all groups, and a document's name.
    let fields: Set<FieldPath>
    /// The statements that name the columns.
    let sql: DocumentSQL

    init(_ slots: [IndexSlot]) {
        groups = Dictionary(grouping: slots) { Array(StoredName.encode($0.index.collectionGroup).utf8) }
            .map { Group(id: $0.key, slots: $0.value) }
        count = slots.map(\.number).max() ?? 0
        fields = Set(slots.map(\.index.field) + [.documentName])
        sql = DocumentSQL(valueColumns: count)
    }

    /// Returns the columns that a collection group uses.
    ///
    /// - Parameter id: the group's id as a ``StoredName``.
    func slots(ofGroup id: String) -> [IndexSlot] {
        var id = id
        return id.withUTF8(slots(ofGroup:))
    }

    /// Returns the same as ``slots(ofGroup:)-(String)``, for the id in UTF-8.
    func slots(ofGroup id: UnsafeBufferPointer<UInt8>) -> [IndexSlot] {
        groups.first { $0.id.elementsEqual(id) }?.slots ?? []
    }

    /// Returns the value of each column for the document after a write; empty if its group has no index.
    ///
    /// - Throws: `DATA_LOSS` if the document's stored fields cannot be read.
    func values(of document: StoredDocument, _ write: KeyedWrite) throws(StoreError) -> [IndexedValue] {
        let slots = write.key.withColumns { _, collection, _ in self.slots(ofGroup: collection) }
        guard !slots.isEmpty else { return [] }
        let fields = try document.fields(at: write.path)
        return values(in: slots) { $0.value(in: fields) }
    }

    /// Returns a value for each column: the closure's for the given slots, NULL for the others. Empty if there are no
    /// slots.
    func values(in slots: [IndexSlot], _ value: (IndexSlot) -> IndexedValue) -> [IndexedValue] {
        guard !slots.isEmpty else { return [] }
        var values = [IndexedValue](repeating: .none, count: count)
        for slot in slots { values[slot.number - 1] = value(slot) }
        return values
    }
}

/// A declared index, and the column of `documents` with its values.
struct IndexSlot: Hashable, Sendable {
    let index: FieldIndex
    /// The column's number among the value columns, starting with 1.
    let number: Int
    /// The column's name.
    let column: String

    init(_ index: FieldIndex, number: Int) {
        self.index = index
        self.number = number
        column = SQL.valueColumn(number)
    }

    /// Returns the column's value for a document with the fields.
    func value(in fields: Fields) -> IndexedValue {
        switch (index.type, fields.value(at: index.field)) {
        case (.boolean, .boolean(let value)?): .boolean(value)
        case (.timestamp, .timestamp(let value)?): .timestamp(value)
        case (.string, .string(let value)?): .text(StoredString.escape(value))
        default: .none
        }
    }
}
