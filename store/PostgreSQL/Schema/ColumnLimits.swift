import Cryptography
import DocumentStore

/// The limits of texts that are in indexes: PostgreSQL refuses rows of an index with more than 2,704 bytes.
enum ColumnLimits {
    /// The greatest size of a document's path. Firestore allows 6 KiB.
    static let path = 2_000
    /// The greatest number of bytes of a value that are in an entry.
    static let key = 400
    /// The size beyond which a column has a digest in place of a name that is only compared for equality.
    private static let name = 100

    /// Returns the form of a name, as a ``StoredName`` or an index's name, in its column.
    static func shortened(_ name: [UInt8]) -> [UInt8] {
        guard name.count > Self.name else { return name }
        // No name has this beginning, as a StoredName or as a field's.
        return [1, 4] + Array(SHA256.hexadecimal(of: String(decoding: name, as: UTF8.self)).utf8)
    }

    static func shortened(_ name: String) -> String {
        guard name.utf8.count > Self.name else { return name }
        return String(decoding: shortened(Array(name.utf8)), as: UTF8.self)
    }
}

extension RowKey {
    /// The columns `parent`, `document` and `collection`.
    var columns: (parent: [UInt8], document: [UInt8], collection: [UInt8]) {
        withColumns { (Array($0), Array($2), ColumnLimits.shortened(Array($1))) }
    }
}
