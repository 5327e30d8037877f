import Foundation
import GRDB

/// A search for the ids that follow a path in the paths of all collections: those of the collections directly below a
/// document, or of a collection's documents that have documents below them. It jumps from one id to the next with one
/// seek each, independent of the numbers of documents.
struct CollectionScan {
    private let database: Int64
    /// The time of the state; `nil` for the present one.
    private let time: Timestamp?
    /// The path as a ``StoredName``; empty for the root.
    private let path: String
    private let prefix: String
    /// The text at which the search continues.
    private var position: String

    /// Makes a search for the collections below a document, or at the root.
    init(database: Int64, at time: Timestamp?, below document: DocumentPath?) {
        self.init(database: database, at: time, path: document.map { StoredName.encode($0.description) } ?? "")
    }

    /// Makes a search for a collection's documents, missing ones too, that have documents below them.
    ///
    /// - Parameter last: the id after which the search begins; `nil` for the first.
    init(database: Int64, at time: Timestamp?, parentsIn collection: CollectionPath, after last: String?) {
        self.init(database: database, at: time, path: StoredName.encode(collection.description))
        if let last { position = prefix + StoredName.encode(last) + StoredName.afterSeparator }
    }

    private init(database: Int64, at time: Timestamp?, path: String) {
        self.database = database
        self.time = time
        self.path = path
        prefix = path.isEmpty ? "" : path + StoredName.separator
        position = prefix
    }

    /// Returns all ids, in order.
    func ids(_ db: Database) throws -> [String] {
        var scan = self
        var ids: [String] = []
        while let id = try scan.next(db) { ids.append(id) }
        return ids
    }

    /// Returns the next id; `nil` after the last.
    mutating func next(_ db: Database) throws -> String? {
        guard let parent = try SQLStatements.nextParent(database, at: time, from: position, before: end, db)
        else { return nil }
        let id = Self.firstSegment(of: parent.utf8.dropFirst(prefix.utf8.count))
        position = prefix + id + StoredName.afterSeparator
        return StoredName.decode(id)
    }

    /// The first text after those with the prefix. At the root there is no such text, so this is a blob: every text
    /// is less than a blob (https://www.sqlite.org/datatype3.html#sort_order).
    private var end: DatabaseValue {
        prefix.isEmpty ? Data().databaseValue : (path + StoredName.afterSeparator).databaseValue
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
