import DocumentStore
import FirestoreProtos
import Foundation
import TestBasics
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Listen streams over random commits")
struct RandomListenTests {
    private static let all: Int32 = 1
    private static let first: Int32 = 3

    @Test(
        "A client with random cuts and resumptions ends with the query's result and never sees half a commit",
        arguments: 1...8 as ClosedRange<UInt64>)
    func randomCommits(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryEngine()
        let store: any DocumentStore = directory.engine.store(for: TemporaryEngine.database)
        let client = ListenClient()
        var stream = listen(store, client)
        for _ in 0..<120 {
            switch random.number(0...9) {
            case 0...5: try await commit(to: store, &random)
            case 6...8: try await stream.catchUp()
            default: stream = listen(store, client)
            }
        }
        try await stream.catchUp()
        try await expectSame(client.documents(Self.all), store, limit: nil)
        try await expectSame(client.documents(Self.first), store, limit: 3)
        for snapshot in client.snapshots { expectWhole(snapshot[Self.all] ?? [:]) }
        await directory.engine.close()
    }

    /// Opens a stream with both targets, which resumes at the client's last snapshot.
    private func listen(_ store: any DocumentStore, _ client: ListenClient) -> ListenStream {
        let tokens = ResumeTokens(for: store.database, server: 1)
        var state = ListenState(database: store.database, tokens: tokens)
        client.disconnect()
        state.add(.collection("c", id: Self.all, in: store.database, token: client.token))
        state.add(.collection("c", id: Self.first, in: store.database, limit: 3, token: client.token))
        return ListenStream(store: store, listener: store.listener(), tokens: tokens, state: state, access: .full) {
            client.receive($0)
        }
    }

    /// Writes or removes both documents of a pair in one commit.
    private func commit(to store: any DocumentStore, _ random: inout SeededGenerator) async throws {
        let number = random.number(0...4)
        let paths = [try DocumentPath("c/\(number)a"), try DocumentPath("c/\(number)b")]
        let isRemoved = random.number(0...3) == 0
        let value = Value.integer(Int64(random.number(0...2)))
        _ = try await store.commit(paths.map { isRemoved ? .delete($0) : .set($0, ["n": value]) })
    }

    private func expectSame(
        _ known: [String: Google_Firestore_V1_Document], _ store: any DocumentStore, limit: Int?
    ) async throws {
        var query = Query.collection(try CollectionPath("c"))
        query.limit = limit
        let expected = try await store.documents(matching: query)
            .map { Google_Firestore_V1_Document($0, in: store.database) }
        #expect(known.values.sorted { $0.name < $1.name } == expected)
    }

    /// Expects that the documents of each pair are equal.
    private func expectWhole(_ documents: [String: Google_Firestore_V1_Document]) {
        for (name, document) in documents where name.hasSuffix("a") {
            #expect(documents[name.dropLast() + "b"]?.updateTime == document.updateTime)
        }
        #expect(documents.count % 2 == 0)
    }
}

/// An engine in its own directory, which is removed together with this object.
final class TemporaryEngine: Sendable {
    static let database = DatabaseID(project: "test")

    let engine: SQLiteEngine
    let path: String
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "pushgate-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: "store.sqlite").path
        engine = try SQLiteEngine(path: path, logger: .silent)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
