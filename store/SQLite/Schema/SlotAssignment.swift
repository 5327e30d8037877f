import GRDB

/// A row of `field_indexes`: the column with the values of an index. Another version may have declared the index.
struct StoredSlot: Sendable {
    /// The id of the collections as a ``StoredName``.
    let collection: String
    /// The name of the field's index as in a ``FieldEntry``.
    let field: String
    let type: String
    let number: Int
}

extension StoredSlot {
    /// Reads a row of ``SQL/selectFieldIndexes``.
    init(_ row: Row) {
        self.init(collection: row[0], field: row[1], type: row[2], number: row[3])
    }

    init(_ slot: IndexSlot) {
        self.init(
            collection: StoredName.encode(slot.index.collectionGroup), field: FieldEntry.name(of: slot.index.field),
            type: slot.index.storedType, number: slot.number)
    }

    func isOf(_ index: FieldIndex) -> Bool {
        isIn(index.collectionGroup) && field.hasSameBytes(as: FieldEntry.name(of: index.field))
            && type == index.storedType
    }

    func isIn(_ collectionGroup: String) -> Bool { collection.hasSameBytes(as: StoredName.encode(collectionGroup)) }
}

extension FieldIndex {
    /// The type of an index of all types as in `field_indexes`.
    fileprivate static let allTypes = "value"
    /// The type as in `field_indexes`.
    fileprivate var storedType: String { type?.rawValue ?? Self.allTypes }
}

/// The assignment of a column to each declared index. An index that has a column keeps it; a new one gets the first
/// free column of its group.
struct SlotAssignment: Sendable {
    private(set) var slots: [IndexSlot] = []
    /// The elements of ``slots`` that the file has not filled yet.
    private(set) var added: [IndexSlot] = []
    /// The file's slots whose index is no longer declared.
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

    /// The names of the columns in use.
    var columns: Set<String> { Set(slots.map(\.column)) }

    private func has(_ index: FieldIndex) -> Bool { slots.contains { $0.index == index } }

    private func freeNumber(in collectionGroup: String) -> Int {
        let taken = Set(
            slots.filter { $0.index.collectionGroup.hasSameBytes(as: collectionGroup) }.map(\.number))
        return (1...taken.count + 1).first { !taken.contains($0) } ?? taken.count + 1
    }
}
