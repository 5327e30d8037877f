import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Listen streams over a store")
struct ListenSessionTests {
    private let database = TemporaryEngine.database
    private let owner = FirestoreCaller { _ in .success(.full) }

    private func request(_ target: Google_Firestore_V1_Target) -> Google_Firestore_V1_ListenRequest {
        var request = Google_Firestore_V1_ListenRequest()
        request.database = database.description
        request.addTarget = target
        return request
    }

    @Test("A commit reaches a listener, a silent stream gets NO_CHANGE, and closing the store ends it as UNAVAILABLE")
    func life() async throws {
        let temporary = try TemporaryEngine()
        let (client, clock) = (ListenClient(), ManualClock())
        let (requests, feed) = AsyncStream.makeStream(of: Google_Firestore_V1_ListenRequest.self)
        let session = ListenSession(temporary.engine, redact: { $0 }, server: 1, clock: clock)
        async let end: FirestoreStatus? = status(of: session, requests, client)
        feed.yield(request(.collection("c", id: 1, in: database)))
        try await eventually("the first snapshot") { client.snapshots.count == 1 }
        let store: any DocumentStore = temporary.engine.store(for: database)
        _ = try await store.commit([.set(try DocumentPath("c/a"), [:])])
        try await eventually("the commit's snapshot") { client.documents(1).count == 1 }
        #expect(client.takeLog() == ["add [1]", "current [1]", "noChange []", "a +[1] -[]", "noChange []"])
        let tokens = ResumeTokens(for: database, server: 1)
        let last = try #require(tokens.time(of: client.token))
        try await eventually("the beat's sleep") { !clock.pendingSleeps.isEmpty }
        clock.advance(by: ListenSession.beat)
        try await eventually("the beat") { client.takeLog() == ["noChange []"] }
        // The token of a beat is of its moment, and resumes without a RESET.
        let fresh = try #require(tokens.time(of: client.token))
        #expect(fresh > last)
        client.disconnect()
        var resumed = stream(store, client)
        try await resumed.catchUp()
        #expect(client.takeLog() == ["add [1]", "current [1]", "noChange []"])
        #expect(try #require(tokens.time(of: client.token)) >= fresh)
        await temporary.engine.close()
        let status = await end
        #expect(status?.code == .unavailable)
    }

    @Test("A stream whose task is cancelled, as when the server stops, fails, because its client resumes only then")
    func cancelled() async throws {
        let temporary = try TemporaryEngine()
        let client = ListenClient()
        let (requests, feed) = AsyncStream.makeStream(of: Google_Firestore_V1_ListenRequest.self)
        let session = ListenSession(temporary.engine, redact: { $0 }, server: 1)
        feed.yield(request(.collection("c", id: 1, in: database)))
        let end = try await withThrowingTaskGroup(of: FirestoreStatus?.self) { group in
            group.addTask { await status(of: session, requests, client) }
            try await eventually("the first snapshot") { client.snapshots.count == 1 }
            group.cancelAll()
            return try await group.next()
        }
        #expect(end??.code == .cancelled)
        await temporary.engine.close()
    }

    @Test("A stream whose client has ended its requests ends without an error")
    func completed() async throws {
        let temporary = try TemporaryEngine()
        let client = ListenClient()
        let (requests, feed) = AsyncStream.makeStream(of: Google_Firestore_V1_ListenRequest.self)
        feed.yield(request(.collection("c", id: 1, in: database)))
        feed.finish()
        let session = ListenSession(temporary.engine, redact: { $0 }, server: 1)
        #expect(await status(of: session, requests, client) == nil)
        #expect(client.snapshots.count == 1)
        await temporary.engine.close()
    }

    @Test("After a restart of the server a listener resumes by its token, and gets only what has changed since")
    func restart() async throws {
        let temporary = try TemporaryEngine()
        let client = ListenClient()
        let store: any DocumentStore = temporary.engine.store(for: database)
        let paths = try ["a", "b", "d"].map { try DocumentPath("c/\($0)") }
        _ = try await store.commit(paths.map { .set($0, [:]) })
        var stream = stream(store, client)
        try await stream.catchUp()
        _ = try await store.commit([.delete(paths[0])])
        await temporary.engine.close()
        let reopened = try SQLiteEngine(path: temporary.path, logger: .silent)
        _ = try await reopened.store(for: database).commit([.set(paths[2], ["n": .integer(1)])])
        _ = client.takeLog()
        client.disconnect()
        stream = self.stream(reopened.store(for: database), client)
        try await stream.catchUp()
        #expect(client.takeLog() == ["add [1]", "d +[1] -[]", "deleted a -[1]", "current [1]", "noChange []"])
        await reopened.close()
    }

    private func stream(
        _ store: any DocumentStore, _ client: ListenClient, access: FirestoreCaller.Access = .full
    ) -> ListenStream {
        let tokens = ResumeTokens(for: database, server: 1)
        var state = ListenState(database: database, tokens: tokens)
        state.add(.collection("c", id: 1, in: database, token: client.token))
        return ListenStream(store: store, listener: store.listener(), tokens: tokens, state: state, access: access) {
            client.receive($0)
        }
    }

    @Test("A target of a redacted caller that compares a field ends at once")
    func redactedComparison() async throws {
        let temporary = try TemporaryEngine()
        let client = ListenClient()
        var stream = stream(temporary.engine.store(for: database), client, access: .redacted)
        var target = Google_Firestore_V1_Target.collection("c", id: 2, in: database)
        target.query.structuredQuery.orderBy = [.with { $0.field.fieldPath = "token" }]
        try stream.accept(request(target))
        try await stream.catchUp()
        let log = client.takeLog()
        #expect(log.contains("current [1]") && !log.contains("current [2]"))
        #expect(log.contains { $0.hasPrefix("remove [2]") }, "\(log)")
        await temporary.engine.close()
    }

    @Test("A caller without access to the database gets its status")
    func noAccess() async throws {
        let temporary = try TemporaryEngine()
        let denied = FirestoreCaller { _ in .failure(FirestoreStatus(.permissionDenied, "no")) }
        let (requests, feed) = AsyncStream.makeStream(of: Google_Firestore_V1_ListenRequest.self)
        feed.yield(request(.collection("c", id: 1, in: database)))
        let session = ListenSession(temporary.engine, redact: { $0 }, server: 1)
        let error = await #expect(throws: FirestoreStatus.self) {
            try await session.run(requests, as: denied) { _ in }
        }
        #expect(error?.code == .permissionDenied)
        await temporary.engine.close()
    }

    private func status(
        of session: ListenSession, _ requests: AsyncStream<Google_Firestore_V1_ListenRequest>, _ client: ListenClient
    ) async -> FirestoreStatus? {
        do throws(FirestoreStatus) {
            try await session.run(requests, as: owner) { client.receive($0) }
            return nil
        } catch {
            return error
        }
    }
}
