import DocumentStore

/// The indexes by one field that gateways have declared. A commit writes the entries of all of them, those that only
/// other gateways know included, so that gateways of different versions can run at once. None is ever dropped, so their
/// number tells whether there are new ones.
struct DeclaredIndexes: Sendable {
    let count: Int64
    /// The indexed fields by the collections' id as in its column.
    private let fields: [[UInt8]: [DeclaredField]]

    /// No indexes.
    static let none = DeclaredIndexes(count: 0, fields: [:])

    private init(count: Int64, fields: [[UInt8]: [DeclaredField]]) {
        self.count = count
        self.fields = fields
    }

    /// Reads them from the server.
    init(_ connection: Connection) throws {
        let rows = try connection.run(ServerSQL.selectFieldIndexes)
        var fields: [[UInt8]: [DeclaredField]] = [:]
        for row in 0..<rows.count {
            guard let collection = rows.bytes(row, 0), let name = rows.text(row, 1) else { continue }
            fields[collection, default: []].append(DeclaredField(try FieldEntry.field(named: name)))
        }
        self.init(count: Int64(rows.count), fields: fields)
    }

    /// Returns the indexed fields of a collection group.
    ///
    /// - Parameter collection: the collections' id as in its column.
    func fields(of collection: [UInt8]) -> [DeclaredField] { fields[collection] ?? [] }

    /// Returns the indexes, of those given, that the server does not have.
    func missing(of indexes: [FieldIndex]) -> [FieldIndex] {
        var missing: [FieldIndex] = []
        for index in indexes where !fields(of: index.collectionColumn).contains(where: { $0.path == index.field }) {
            guard !missing.contains(where: { $0.hasSameEntries(as: index) }) else { continue }
            missing.append(index)
        }
        return missing
    }
}

/// An indexed field, with its name in the column `field`, which each commit needs for each document.
struct DeclaredField: Sendable {
    let path: FieldPath
    let column: [UInt8]

    init(_ path: FieldPath) {
        self.path = path
        column = ColumnLimits.shortened(Array(FieldEntry.name(of: path).utf8))
    }
}

extension FieldIndex {
    /// The collections' id as in its column.
    var collectionColumn: [UInt8] { ColumnLimits.shortened(Array(StoredName.encode(collectionGroup).utf8)) }

    /// Returns `true` if the indexes differ at most in their types: entries have values of all types.
    func hasSameEntries(as other: FieldIndex) -> Bool {
        collectionColumn == other.collectionColumn && field == other.field
    }
}
