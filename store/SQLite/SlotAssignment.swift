import GRDB

/// A row of `field_indexes`: which column has the values of an index. The index may be another version's.
struct StoredSlot: Sendable {
    /// The ``StoredName`` of the collections.
    let collection: String
    let field: String
    let type: String
    let number: Int
}

extension StoredSlot {
    /// - Parameter row: of ``SQL/selectFieldIndexes``.
    init(_ row: Row) {
        self.init(collection: row[0], field: row[1], type: row[2], number: row[3])
    }

    init(_ slot: IndexSlot) {
        self.init(
            collection: StoredName.encode(slot.index.collectionGroup), field: slot.index.field.description,
            type: slot.index.type.rawValue, number: slot.number)
    }

    func isOf(_ index: FieldIndex) -> Bool {
        isIn(index.collectionGroup) && field.hasSameBytes(as: index.field.description) && type == index.type.rawValue
    }

    func isIn(_ collectionGroup: String) -> Bool { collection.hasSameBytes(as: StoredName.encode(collectionGroup)) }
}

/// The decision which column each declared index has. One that has a column keeps it; a new one gets the first column
/// that its group has free.
struct SlotAssignment: Sendable {
    private(set) var slots: [IndexSlot] = []
    /// Those of ``slots`` that the file has not filled yet.
    private(set) var added: [IndexSlot] = []
    /// Those of the file whose index is declared no more.
    let dropped: [StoredSlot]

    init(of indexes: [FieldIndex], stored: [StoredSlot]) {
        dropped = stored.filter { slot in !indexes.contains(where: slot.isOf) }
        for index in indexes {
            guard let slot = stored.first(where: { $0.isOf(index) }) else { continue }
            if !has(index) { slots.append(IndexSlot(index, number: slot.number)) }
        }
        for index in indexes where !has(index) {
            let slot = IndexSlot(index, number: freeNumber(in: index.collectionGroup))
            slots.append(slot)
            added.append(slot)
        }
    }

    /// The columns in use.
    var columns: Set<String> { Set(slots.map(\.column)) }

    private func has(_ index: FieldIndex) -> Bool { slots.contains { $0.index == index } }

    private func freeNumber(in collectionGroup: String) -> Int {
        let taken = Set(
            slots.filter { $0.index.collectionGroup.hasSameBytes(as: collectionGroup) }.map(\.number))
        return (1...taken.count + 1).first { !taken.contains($0) } ?? taken.count + 1
    }
}
