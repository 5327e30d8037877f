import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Retention of documents", .timeLimit(.minutes(10)))
struct DocumentRetentionTests {
    private let clock = ManualClock()
    private let disk: TemporaryStore
    private let store: ObservedStore
    private let things: CollectionPath

    init() throws {
        disk = try TemporaryStore(clock: clock)
        store = ObservedStore(disk.documents)
        things = try CollectionPath("things")
    }

    private func add(_ id: String, secondsAgo age: Int) async throws {
        let time = clock.timestamp.adding(.seconds(-age))
        _ = try await disk.documents.commit([.set(try things.document(id), ["seenAt": .timestamp(time)])])
    }

    private func ids() async throws -> [String] {
        try await disk.documents.documents(matching: .collection(things)).map(\.path.id)
    }

    private func sweep(batch: Int = 500) async throws -> Int {
        try await store.deleteDocuments(
            in: .collection(things), whose: "seenAt", isBefore: clock.timestamp.adding(.seconds(-60)), batch: batch)
    }

    @Test(
        "Retention deletes older documents, to the microsecond, and keeps those without a time",
        arguments: [1, 2, 3, 500])
    func age(batch: Int) async throws {
        for number in 0..<4 { try await add("old-\(number)", secondsAgo: 61 + number) }
        try await add("just", secondsAgo: 60)
        try await add("new", secondsAgo: 0)
        _ = try await disk.documents.commit([.set(try things.document("timeless"), ["seenAt": "yesterday"])])
        #expect(try await sweep(batch: batch) == 4)
        #expect(try await ids() == ["just", "new", "timeless"])
        #expect(try await sweep(batch: batch) == 0)
    }

    @Test("Retention keeps a document that is seen again during the sweep")
    func race() async throws {
        try await add("one", secondsAgo: 100)
        try await add("two", secondsAgo: 100)
        let isFirst = Mutex(true)
        store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { return }
                _ = try await disk.documents.commit([
                    .merge(try things.document("two"), ["seenAt": .timestamp(clock.timestamp)])
                ])
            }
        }
        #expect(try await sweep() == 1)
        #expect(try await ids() == ["two"])
    }

    @Test("Retention commits the writes that belong to a deletion with it, for the fields that it was asked to read")
    func others() async throws {
        let path = try things.document("one")
        let time = clock.timestamp.adding(.seconds(-61))
        _ = try await disk.documents.commit([
            .set(path, ["seenAt": .timestamp(time), "name": "a", "size": .integer(1)])
        ])
        let deleted = try await store.deleteDocuments(
            in: .collection(things), whose: "seenAt", isBefore: clock.timestamp, reading: ["name"]
        ) { document throws(StoreError) in
            #expect(document["size"] == nil)
            return [.create(try things.document("other"), ["name": document["name"] ?? .null])]
        }
        #expect(deleted == 1)
        let left = try await disk.documents.documents(matching: .collection(things))
        #expect(left.map(\.path.id) == ["other"] && left.first?["name"] == "a")
    }

    @Test("Retention divides deletions to which many writes belong among several commits")
    func manyOthers() async throws {
        for number in 0..<5 { try await add("old-\(number)", secondsAgo: 61) }
        let sizes = Mutex<[Int]>([])
        store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in sizes.withLock { $0.append(writes.count) } }
        }
        let others = try CollectionPath("others")
        let deleted = try await store.deleteDocuments(
            in: .collection(things), whose: "seenAt", isBefore: clock.timestamp
        ) { document throws(StoreError) in
            var writes: [Write] = []
            for number in 1...299 { writes.append(.delete(try others.document("\(document.path.id)-\(number)"))) }
            return writes
        }
        #expect(deleted == 5)
        #expect(sizes.withLock { $0 } == [600, 600, 300])
        #expect(try await ids().isEmpty)
    }

    @Test("Retention throws the store's error")
    func failure() async throws {
        try await add("one", secondsAgo: 100)
        store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        await #expect(throws: StoreError.self) { try await sweep() }
        #expect(try await ids() == ["one"])
    }
}
