import DocumentStore
import Testing

@testable import PostgreSQLStore

@Suite("PostgreSQL: lists of changes")
struct PackedChangesTests {
    private func change(_ number: Int64, _ parent: String, _ document: String) -> PackedChanges.Change {
        PackedChanges.Change(
            time: Timestamp(microseconds: number), parent: Array(parent.utf8), document: Array(document.utf8))
    }

    @Test("Changes are the same after they were packed, whatever their paths contain")
    func same() throws {
        let changes = [
            change(1, "users", "1 2 3 "), change(-5, "a\u{1}\u{1}b\u{1}\u{1}c d", "é\n"), change(.max, " ", "12"),
        ]
        let packed = PackedChanges.packed(changes)
        #expect(packed.count == 1 && packed.first?.time == changes[2].time)
        #expect(try packed.flatMap { try PackedChanges.unpacked($0.text) } == changes)
        #expect(changes[1].path.description == "a/b/c d/é\n")
        #expect(PackedChanges.packed([]).isEmpty)
    }

    @Test("Many changes are several texts in their order, none much longer than a path beyond the limit")
    func several() throws {
        let name = String(repeating: "x", count: 90)
        let changes = (0..<100).map { change($0, "users", "\(name)\($0)") }
        let packed = PackedChanges.packed(changes)
        #expect(packed.count > 5 && packed.allSatisfy { $0.text.count < 1_900 })
        #expect(try packed.flatMap { try PackedChanges.unpacked($0.text) } == changes)
        #expect(packed.map(\.time) == packed.map(\.time).sorted())
        #expect(packed.last?.time == changes.last?.time)
    }

    @Test(
        "A text that is no list is DATA_LOSS",
        arguments: ["1", "1 2", "1 2 3", "1 2 3 abcd", "1 0 1 a", "1 1 0 a", "1 -1 2 a", "x 1 1 ab", "1 1 1 abc"])
    func invalid(text: String) {
        let error = #expect(throws: StoreError.self) { try PackedChanges.unpacked(Array(text.utf8)) }
        #expect(error?.code == .dataLoss)
    }
}
