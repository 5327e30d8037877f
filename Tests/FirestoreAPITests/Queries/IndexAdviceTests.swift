import DocumentStore
import JSON
import Testing

@testable import FirestoreAPI

@Suite("Index advice")
struct IndexAdviceTests {
    private let query: Query

    init() throws { query = .collection(try CollectionPath("c")) }

    @Test("Equality alone, or one ordered field alone, needs no composite index")
    func automatic() {
        let equality = query.where("a", .equal, .integer(1)).where("b", .equal, .integer(2))
        let ordered = query.where("a", .lessThan, .integer(1)).ordered(by: "a", .descending)
        #expect(QueryIndex.indexes(for: equality).map(\.isAutomatic) == [true])
        #expect(QueryIndex.indexes(for: ordered).map(\.isAutomatic) == [true])
    }

    @Test("Equality with an order needs a composite index, in the form of firestore.indexes.json")
    func composite() throws {
        let both = query.where("a", .equal, .integer(1)).ordered(by: "b", .descending)
        let index = try #require(QueryIndex.indexes(for: both).first)
        #expect(!index.isAutomatic)
        #expect(
            index.definition?.text
                == #"{"collectionGroup":"c","queryScope":"COLLECTION","fields":"#
                + #"[{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}"#)
    }

    @Test("An array condition needs a composite index with anything else, and none alone")
    func arrays() {
        let array = query.where("a", .arrayContains, .integer(1))
        #expect(QueryIndex.indexes(for: array).map(\.isAutomatic) == [true])
        #expect(QueryIndex.indexes(for: array.ordered(by: "b")).map(\.isAutomatic) == [false])
    }
}
