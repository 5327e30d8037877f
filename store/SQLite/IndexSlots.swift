/// The columns of `documents` that indexes search by. In each collection group a declared ``FieldIndex`` has one of them;
/// the same column serves another index in another group.
struct IndexSlots: Sendable {
    private struct Group {
        /// The ``StoredName`` of the collections.
        let id: [UInt8]
        let slots: [IndexSlot]
    }

    private let groups: [Group]
    /// The columns in use.
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
    /// - Parameter id: a ``StoredName``.
    func slots(ofGroup id: String) -> [IndexSlot] {
        var id = id
        return id.withUTF8(slots(ofGroup:))
    }

    /// As ``slots(ofGroup:)-(String)``, by the name's UTF-8.
    func slots(ofGroup id: UnsafeBufferPointer<UInt8>) -> [IndexSlot] {
        groups.first { $0.id.elementsEqual(id) }?.slots ?? []
    }

    /// Returns the value of each column for a document that a write leaves; none if its group has no index.
    ///
    /// - Throws: `DATA_LOSS` for a document whose stored fields cannot be read.
    func values(of document: StoredDocument, _ write: KeyedWrite) throws(StoreError) -> [IndexedValue] {
        let slots = write.key.withColumns { _, collection, _ in self.slots(ofGroup: collection) }
        guard !slots.isEmpty else { return [] }
        let fields = try document.fields(at: write.path)
        return values(in: slots) { $0.value(in: fields) }
    }

    /// Returns the value of each column, those of some slots and NULL in the others; none for no slots.
    func values(in slots: [IndexSlot], _ value: (IndexSlot) -> IndexedValue) -> [IndexedValue] {
        guard !slots.isEmpty else { return [] }
        var values = [IndexedValue](repeating: .none, count: count)
        for slot in slots { values[slot.number - 1] = value(slot) }
        return values
    }
}
