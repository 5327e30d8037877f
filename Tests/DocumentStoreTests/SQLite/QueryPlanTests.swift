import Testing

@testable import DocumentStore

@Suite("SQLite: query plans")
struct QueryPlanTests {
    private static let dueAt = FieldIndex(collectionGroup: "chunks", field: "dueAt", type: .timestamp)
    private static let now = Value.timestamp(Timestamp(microseconds: 0))

    private func plan(_ query: Query, _ indexes: [FieldIndex] = [dueAt]) async throws -> String {
        let engine = try SQLiteFixture().open(fieldIndexes: indexes)
        let plan = try await engine.plan(of: query, in: .gateway)
        await engine.close()
        return plan.joined(separator: "\n")
    }

    private func expectIndexOnly(_ plan: String, _ index: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(plan.contains("SEARCH documents USING INDEX \(index)"), "\(plan)", sourceLocation: location)
        #expect(!plan.contains("SCAN"), "\(plan)", sourceLocation: location)
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)", sourceLocation: location)
    }

    @Test("Reading a document uses the unique index of paths")
    func get() async throws {
        let engine = try SQLiteFixture().open()
        let plan = try await engine.plan(of: SQL.selectDocument).joined()
        expectIndexOnly(plan, "documents_by_path (database=? AND parent=? AND document=?)")
        await engine.close()
    }

    @Test("Reading a collection uses a range of the path index, in both directions and from a cursor")
    func list() async throws {
        let all = Query.collection(try CollectionPath("agents/a/devices"))
        expectIndexOnly(try await plan(all), "documents_by_path (database=? AND parent=?)")
        expectIndexOnly(
            try await plan(all.ordered(by: .documentName, .descending)), "documents_by_path (database=? AND parent=?)")
        var page = all.ordered(by: .documentName)
        page.start = Cursor([.reference(try DocumentPath("agents/a/devices/d").name(in: .gateway))], isAfter: true)
        expectIndexOnly(try await plan(page), "documents_by_path (database=? AND parent=? AND document>?)")
    }

    @Test("A collection group uses the group index, and one below a document the path index")
    func group() async throws {
        let group = try await plan(.collectionGroup("devices"))
        #expect(group.contains("SEARCH documents USING INDEX documents_by_group (database=? AND collection=?)"))
        let below = try await plan(.collectionGroup("devices", below: DocumentPath("agents/a")))
        let range = "SEARCH documents USING INDEX documents_by_path (database=? AND parent>? AND parent<?)"
        #expect(below.contains(range), "\(below)")
    }

    @Test("A query for due documents uses the declared index and does not sort")
    func due() async throws {
        let index = "documents_by_value1 (database=? AND collection=? AND value1<?)"
        let due = Query.collectionGroup("chunks").where("dueAt", .lessThanOrEqual, Self.now).limited(to: 10)
        expectIndexOnly(try await plan(due), index)
        expectIndexOnly(try await plan(due.ordered(by: "dueAt")), index)
        expectIndexOnly(try await plan(due.ordered(by: "dueAt", .descending)), index)
        let equal = Query.collectionGroup("chunks").where("dueAt", .equal, Self.now)
        expectIndexOnly(try await plan(equal), "documents_by_value1 (database=? AND collection=? AND value1=?)")
    }

    @Test("Equality uses the declared index in a root collection and the path index in a subcollection")
    func collectionEquality() async throws {
        let index = "documents_by_value1 (database=? AND collection=? AND value1=?)"
        let root = Query.collection(try CollectionPath("chunks")).where("dueAt", .equal, Self.now)
        expectIndexOnly(try await plan(root), index)
        expectIndexOnly(try await plan(root.where("text", .equal, .string("a"))), index)
        let below = Query.collection(try CollectionPath("a/b/chunks")).where("dueAt", .equal, Self.now)
        expectIndexOnly(try await plan(below), "documents_by_path (database=? AND parent=?)")
    }

    @Test("A range in a root collection uses the declared index, also with a second filter")
    func collectionRange() async throws {
        let index = "documents_by_value1 (database=? AND collection=? AND value1>?)"
        let root = Query.collection(try CollectionPath("chunks")).where("dueAt", .greaterThan, Self.now)
        expectIndexOnly(try await plan(root), index)
        expectIndexOnly(try await plan(root.ordered(by: "dueAt", .descending).limited(to: 5)), index)
        expectIndexOnly(try await plan(root.where("text", .equal, .string("a"))), index)
        let other = Query.collection(try CollectionPath("others")).where("dueAt", .greaterThan, Self.now)
        #expect(try await plan(other).contains("documents_by_path (database=? AND parent=?)"))
    }

    @Test("A filter by a value of another type than the index uses the path index")
    func otherType() async throws {
        let root = Query.collection(try CollectionPath("chunks")).where("dueAt", .equal, .string("now"))
        expectIndexOnly(try await plan(root), "documents_by_path (database=? AND parent=?)")
    }

    @Test("A query for due documents after a cursor uses the declared index")
    func dueAfterCursor() async throws {
        var due = Query.collectionGroup("chunks").where("dueAt", .lessThanOrEqual, Self.now).ordered(by: "dueAt")
        due.start = Cursor([Self.now], isAfter: false)
        expectIndexOnly(
            try await plan(due), "documents_by_value1 (database=? AND collection=? AND value1>? AND value1<?)")
    }

    @Test("A query for due documents without the declared index uses the group index")
    func undeclared() async throws {
        let due = Query.collectionGroup("chunks").where("dueAt", .lessThanOrEqual, Self.now)
        let plan = try await plan(due, [])
        #expect(plan.contains("documents_by_group (database=? AND collection=?)"), "\(plan)")
    }

    @Test("Finding the next collection takes one seek")
    func collections() async throws {
        let engine = try SQLiteFixture().open()
        let plan = try await engine.plan(of: SQL.selectNextParent).joined()
        #expect(
            plan.contains(
                "SEARCH documents USING COVERING INDEX documents_by_path (database=? AND parent>? AND parent<?)"),
            "\(plan)")
        await engine.close()
    }
}
