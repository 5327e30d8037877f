package import DocumentStore
import JSON
package import Logging
import Synchronization
import Texts

/// Warns once of each kind of query that production refuses without a composite index, with the index to declare.
package final class IndexAdvisor: IndexAdvice {
    /// The greatest number of indexes to remember. A program with more of them gets no further warnings.
    private static let most = 1_000

    /// An index of a database.
    private struct Subject: Hashable {
        let database: DatabaseID
        let index: QueryIndex
    }

    private let logger: Logger
    private let known = Mutex<Set<Subject>>([])

    /// Makes an advisor that has warned of nothing.
    package init(logger: Logger) { self.logger = logger }

    /// Logs a warning for each index that the query is the first to need.
    package func note(_ query: Query, in database: DatabaseID) {
        // Most queries have no more than equality, and are done here.
        guard query.filter != nil || query.orders.count > 1 else { return }
        for index in QueryIndex.indexes(for: query) where !index.isAutomatic && isNew(index, in: database) {
            guard let definition = index.definition else { continue }
            logger.warning(
                "found a query that needs a composite index in production; add it to firestore.indexes.json",
                metadata: ["database": "\(database)", "index": "\(definition.text)"])
        }
    }

    private func isNew(_ index: QueryIndex, in database: DatabaseID) -> Bool {
        known.withLock { known in
            known.count < Self.most && known.insert(Subject(database: database, index: index)).inserted
        }
    }
}

extension QueryIndex {
    /// The index in the form of an element of `indexes` in
    /// [firestore.indexes.json](https://firebase.google.com/docs/reference/firestore/indexes); `nil` for collections
    /// of any id, which need no index.
    var definition: JSONValue? {
        guard let collection else { return nil }
        return [
            "collectionGroup": .string(collection.text), "queryScope": isGroup ? "COLLECTION_GROUP" : "COLLECTION",
            "fields": .array(declaredFields.map(\.definition)),
        ]
    }

    /// The fields without the document's name, which Firestore adds in the direction of the last field.
    private var declaredFields: [Field] {
        guard let name = fields.last, let last = fields.dropLast().last else { return fields }
        let direction = last.kind == .descending ? Field.Kind.descending : .ascending
        return name.kind == direction ? Array(fields.dropLast()) : fields
    }
}

extension QueryIndex.Field {
    fileprivate var definition: JSONValue {
        let path = JSONValue.string(path.description)
        return switch kind {
        case .ascending: ["fieldPath": path, "order": "ASCENDING"]
        case .descending: ["fieldPath": path, "order": "DESCENDING"]
        case .arrayContains: ["fieldPath": path, "arrayConfig": "CONTAINS"]
        case .vector(let dimension):
            ["fieldPath": path, "vectorConfig": ["dimension": .integer(Int64(dimension)), "flat": [:]]]
        }
    }
}
