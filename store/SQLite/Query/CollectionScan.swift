import Foundation
import GRDB

/// A search for the collections directly below a document. It jumps from one collection to the next with one seek
/// each, independent of their numbers of documents.
struct CollectionScan {
    private let database: Int64
    /// The document's path as a ``StoredName``; empty for the root.
    private let document: String
    private let prefix: String

    init(database: Int64, below document: DocumentPath?) {
        self.database = database
        self.document = document.map { StoredName.encode($0.description) } ?? ""
        prefix = document == nil ? "" : self.document + StoredName.separator
    }

    func ids(_ db: Database) throws -> [String] {
        var ids: [String] = []
        var position = prefix
        while let parent = try SQLStatements.nextParent(database, from: position, before: end, db) {
            let id = Self.firstSegment(of: parent.utf8.dropFirst(prefix.utf8.count))
            ids.append(StoredName.decode(id))
            position = prefix + id + StoredName.afterSeparator
        }
        return ids
    }

    /// The first text after those with the prefix. At the root there is no such text, so this is a blob: every text
    /// is less than a blob (https://www.sqlite.org/datatype3.html#sort_order).
    private var end: DatabaseValue {
        prefix.isEmpty ? Data().databaseValue : (document + StoredName.afterSeparator).databaseValue
    }

    private static func firstSegment(of name: Substring.UTF8View) -> String {
        var previous: UInt8?
        for index in name.indices {
            if previous == 1, name[index] == 1 { return String(Substring(name[..<name.index(before: index)])) }
            previous = previous == 1 ? nil : name[index]
        }
        return String(Substring(name))
    }
}
