import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Sizes as Firestore counts them")
struct StorageSizeTests {
    @Test("The document of Firestore's page has 147 bytes")
    func example() throws {
        let path = try DocumentPath("users/jeff/tasks/my_task_id")
        #expect(StorageSize.document(path, fields: 0) == 44 + 32)
        let fields: Fields = [
            "type": .string("Personal"), "done": .boolean(false), "priority": .integer(1),
            "description": .string("Learn Cloud Firestore"),
        ]
        #expect(StorageSize.fields(fields) == 71)
        #expect(StorageSize.document(path, fields: StorageSize.fields(fields)) == 147)
    }

    @Test(
        "Each type of value has its size",
        arguments: [
            (.null, 1), (.boolean(true), 1), (.integer(1), 8), (.double(0.5), 8),
            (.timestamp(Timestamp(microseconds: 0)), 8), (.geoPoint(latitude: 1, longitude: 2), 16),
            (.string(""), 1), (.string("é"), 3), (.bytes([1, 2, 3]), 3), (.array([]), 0),
            (.array([.integer(1), .string("a")]), 10), (.map(["a": .integer(1)]), 10), (.vector([1, 2, 3]), 24),
        ] as [(Value, Int)])
    func values(value: Value, size: Int) {
        #expect(StorageSize.value(value) == size)
    }

    @Test("A reference has the size of its ids, without its project and database")
    func references() {
        let path = "users/jeff/tasks/my_task_id"
        #expect(StorageSize.value(.reference("projects/p/databases/(default)/documents/\(path)")) == 44)
        #expect(StorageSize.value(.reference("projects/a-longer-project/databases/other/documents/\(path)")) == 44)
    }

    @Test("An index entry has the sizes of its document's name, its parent's name, the field, the value, and 32 bytes")
    func indexEntries() throws {
        let path = try DocumentPath("users/jeff/tasks/my_task_id")
        #expect(StorageSize.indexEntryBase(path) == 44 + 27 + 32)
        #expect(StorageSize.indexEntryBase(try DocumentPath("users/jeff")) == 27 + 32)
        #expect(StorageSize.indexEntry(field: "done", .boolean(false), longest: 1_500) == 5 + 1)
        let long = Value.string(String(repeating: "x", count: 5_000))
        #expect(StorageSize.indexEntry(field: "done", long, longest: 1_500) == 5 + 1_500)
    }

    @Test("An entry in an index over a collection group has its document's name, the field, the value, and 48 bytes")
    func groupIndexEntries() throws {
        #expect(StorageSize.groupIndexEntryBase(try DocumentPath("users/jeff/tasks/my_task_id")) == 44 + 48)
        #expect(StorageSize.groupIndexEntryBase(try DocumentPath("users/jeff")) == 27 + 48)
    }

    @Test("The growth by a change of a field is the difference of the sizes", arguments: 1...100 as ClosedRange<UInt64>)
    func growth(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fields = generator.fields(["a", "b", "c"], depth: 3)
        for _ in 0..<30 {
            let segments = (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(["a", "b", "é"]) }
            let path = FieldPath(segments: segments)
            let value = generator.chance(30) ? nil : generator.value(depth: 2)
            let before = StorageSize.fields(fields)
            let growth = StorageSize.growth(of: fields, setting: value, at: path)
            fields.set(value, at: path)
            #expect(StorageSize.fields(fields) - before == growth, "\(path)")
        }
    }
}
