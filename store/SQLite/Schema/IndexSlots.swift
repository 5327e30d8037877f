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
    /// The indexed fields of all groups whose names are ASCII, and a document's name. The cache of statements, whose
    /// keys are `String`s, would take SQL with canonically equivalent names for the same.
    let fields: Set<FieldPath>
    /// The statements that name the columns.
    let sql: DocumentSQL

    init(_ slots: [IndexSlot]) {
        groups = Dictionary(grouping: slots) { Array(StoredName.encode($0.index.collectionGroup).utf8) }
            .map { Group(id: $0.key, slots: $0.value) }
        count = slots.map(\.number).max() ?? 0
        fields = Set(
            slots.map(\.index.field).filter { $0.segments.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } }
                + [.documentName])
        sql = DocumentSQL(valueColumns: count)
    }

    /// No columns.
    static let none = IndexSlots([])

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
        case (nil, let value?): .key(SortKey(value).bytes)
        case (.boolean, .boolean(let value)?): .boolean(value)
        case (.timestamp, .timestamp(let value)?): .timestamp(value)
        case (.string, .string(let value)?): .text(StoredString.escape(value))
        default: .none
        }
    }
}

/// The write statements that name the columns of indexed values.
struct DocumentSQL: Sendable {
    /// ``SQL/selectDocument`` with the value columns.
    let select: String
    /// An insertion that does nothing if there is a document with the path.
    let insert: String
    /// An update that also sets the value columns and so opens each index over them; ``SQL/updateDocument`` opens
    /// none.
    let update: String

    /// Builds the statements.
    ///
    /// - Parameter count: the number of the value columns.
    init(valueColumns count: Int) {
        let columns = (0..<count).map { SQL.valueColumn($0 + 1) }
        let names = columns.map { ", \($0)" }.joined()
        select = """
            SELECT id, created_at, updated_at, fields\(names) FROM documents
            WHERE database = ? AND parent = ? AND document = ?
            """
        insert = """
            INSERT INTO documents (database, parent, collection, document, created_at, updated_at, fields\(names))
            VALUES (?, ?, ?, ?, ?, ?, ?\(columns.map { _ in ", ?" }.joined())) ON CONFLICT DO NOTHING
            """
        let values = columns.enumerated().map { ", \($1) = ?\($0 + 5)" }.joined()
        update = "UPDATE documents SET created_at = ?1, updated_at = ?2, fields = ?3\(values) WHERE id = ?4"
    }
}

/// The value of an index's column, exactly as SQLite's `json_extract` or ``QueryFunctions`` find it in a document's
/// fields.
enum IndexedValue: Sendable {
    /// NULL: the document has no value of the index's type.
    case none
    case boolean(Bool)
    case timestamp(Timestamp)
    /// A text in the form of ``StoredString``.
    case text(String)
    /// The ``SortKey`` of a value of any type.
    case key([UInt8])
    /// A value that no engine writes.
    case foreign
}

extension [IndexSlot] {
    /// Returns the column with a field's values of a type, or of all types for `nil`; `nil` if there is none.
    func column(_ field: FieldPath, _ type: FieldIndex.ValueType?) -> String? {
        first { $0.index.type == type && $0.index.field == field }?.column
    }
}

extension IndexedValue: Equatable {
    /// Compares texts by bytes.
    static func == (left: IndexedValue, right: IndexedValue) -> Bool {
        switch (left, right) {
        case (.none, .none), (.foreign, .foreign): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.key(let left), .key(let right)): left == right
        default: false
        }
    }
}
