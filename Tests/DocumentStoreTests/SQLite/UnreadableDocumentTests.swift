import Logging
import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Documents with unreadable fields", .timeLimit(.minutes(10)))
struct UnreadableDocumentTests {
    private static let damages = ["{\"n\":1}", "", "{\"n\":{\"integerValue\":\"1\"", "no JSON"]

    /// Runs the body on documents `t/0` to `t/9`. Documents 3, 4 and 9 are damaged.
    private func withDamage(
        _ damage: String, indexes: [FieldIndex] = [],
        _ body: (SQLiteDocumentStore, CollectedLog) async throws -> Void
    ) async throws {
        let fixture = try SQLiteFixture()
        let log = CollectedLog()
        let engine = try fixture.open(fieldIndexes: indexes, logger: log.logger)
        let store = engine.store(for: .gateway)
        for number in 0..<10 {
            let fields: Fields = [
                "n": .integer(Int64(number)), "s": .string("\(number)"), "list": .array([.integer(7)]),
            ]
            try await store.set("t/\(number)", fields)
        }
        _ = try await engine.onWriter("UPDATE documents SET fields = '\(damage)' WHERE document IN ('3', '4', '9')")
        try await body(store, log)
        await engine.close()
    }

    @Test("An unreadable document is left out of every list", arguments: damages)
    func lists(damage: String) async throws {
        let readable = ["0", "1", "2", "5", "6", "7", "8"]
        try await withDamage(damage) { store, _ in
            let all = Query.collection(try CollectionPath("t"))
            #expect(try await store.ids(all) == readable)
            #expect(try await store.ids(.collectionGroup("t")) == readable)
            #expect(try await store.ids(all.ordered(by: "n")) == readable)
            #expect(try await store.ids(all.ordered(by: "s", .descending)) == readable.reversed())
            #expect(try await store.ids(all.where("s", .greaterThan, .string("1"))) == Array(readable.dropFirst(2)))
            #expect(try await store.ids(all.where("n", .lessThan, .integer(6))) == Array(readable.prefix(4)))
            #expect(try await store.ids(all.where("list", .arrayContains, .integer(7))) == readable)
            let both = try await store.documents(at: [DocumentPath("t/1")], matching: all)
            #expect(both.named.map { $0?.path.id } == ["1"] && both.matching.map(\.path.id) == readable)
            let sum = try await store.aggregate([.sum("n")], over: all)
            #expect(sum == [.integer(29)])
        }
    }

    @Test("An unreadable document shortens no page and hides no later document", arguments: damages)
    func pages(damage: String) async throws {
        try await withDamage(damage) { store, _ in
            var (found, pages): ([String], [Int]) = ([], [])
            var query = Query.collection(try CollectionPath("t")).ordered(by: .documentName).limited(to: 3)
            while true {
                let page = try await store.documents(matching: query)
                found += page.map(\.path.id)
                pages.append(page.count)
                guard page.count == 3, let last = page.last else { break }
                query.start = Cursor([.reference(last.path.name(in: store.database))], isAfter: true)
            }
            #expect(found == ["0", "1", "2", "5", "6", "7", "8"])
            #expect(pages == [3, 3, 1])
        }
    }

    @Test("An unreadable document is left out of an index query")
    func indexes() async throws {
        let index = FieldIndex(collectionGroup: "t", field: "s", type: .string)
        // SQLite leaves fields that are not JSON out of an index. JSON that is not a document's is indexed.
        try await withDamage("{\"s\":{\"stringValue\":\"3\"},\"n\":1}", indexes: [index]) { store, _ in
            let query = Query.collection(try CollectionPath("t")).where("s", .greaterThan, .string("2"))
            #expect(try await store.ids(query.limited(to: 2)) == ["5", "6"])
        }
    }

    @Test("An unreadable document is logged once, and reading it by path fails with DATA_LOSS")
    func log() async throws {
        try await withDamage("{}}") { store, log in
            for _ in 0..<3 { _ = try await store.documents(matching: .collectionGroup("t")) }
            let lines = log.lines.filter { $0.contains("unreadable document") }
            #expect(lines.count == 3)
            for id in ["3", "4", "9"] { #expect(lines.count { $0.contains("t/\(id)") } == 1) }
            await expectError(.dataLoss) { try await store.fields("t/3") }
        }
    }
}
