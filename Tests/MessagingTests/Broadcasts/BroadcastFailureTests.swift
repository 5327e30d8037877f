import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Failing broadcasts to a topic", .timeLimit(.minutes(10)))
struct BroadcastFailureTests {
    /// Accepts messages that are not yet cut into chunks and do not replace each other, and returns their ids in the
    /// order of processing.
    private func accept(_ count: Int, on stage: TopicBench) async throws -> [String] {
        var ids: [String] = []
        var draft = Draft.sample()
        draft.message.apns?.headers = [:]
        for _ in 0..<count {
            ids.append(try await stage.broadcaster.accept(draft, to: try Condition(topic: "news")))
        }
        return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func fail(_ ids: some Sequence<String>, on stage: TopicBench) {
        let failing = Set(ids)
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                let isFailing = writes.contains {
                    $0.path.collection.id == Broadcast.collection && failing.contains($0.path.id)
                }
                if isFailing { throw StoreError(.unavailable, "busy") }
            }
        }
    }

    private func exists(_ path: String, on stage: TopicBench) async throws -> Bool {
        try await stage.bench.disk.documents.document(at: DocumentPath(path)) != nil
    }

    @Test("A failing broadcast does not delay others and is tried again after a pause", arguments: [1, 20])
    func others(failing count: Int) async throws {
        let stage = try TopicBench()
        try await stage.subscriptions.subscribe(try await stage.devices(1), to: "news")
        let ids = try await accept(count + 5, on: stage)
        fail(ids.prefix(count), on: stage)
        try await stage.running {
            for id in ids.dropFirst(count) { try await stage.ended(id) }
            for id in ids.prefix(count) { #expect(try await exists("broadcasts/\(id)", on: stage)) }
            stage.bench.store.set { $0.beforeCommit = { _ in } }
            try await eventually("the rest is sent", advancing: stage.bench.clock, by: .seconds(1)) {
                stage.bench.transport.sent.count == ids.count
            }
        }
        #expect(stage.bench.log.lines.contains { $0.hasPrefix("error failed to continue a broadcast") })
    }

    @Test("A broadcast with an invalid condition is given up and removed with its message")
    func unreadable() async throws {
        let stage = try TopicBench()
        let ids = try await accept(2, on: stage)
        let path = try DocumentPath("broadcasts/\(ids[0])")
        _ = try await stage.bench.disk.documents.commit([.update(path, ["condition": "'__a__' in topics"])])
        try await stage.running { try await stage.ended(ids[1]) }
        #expect(try await !exists("broadcasts/\(ids[0])", on: stage))
        #expect(try await !exists("messages/\(ids[0])", on: stage))
        #expect(try await exists("messages/\(ids[1])", on: stage))
        let lines = stage.bench.log.lines
        let line = try #require(lines.first { $0.hasPrefix("error giving up a broadcast") })
        #expect(line.contains(ids[0]) && !line.contains("restore"))
    }

    @Test("A broadcast that the store refuses for good is given up, and its count keeps the devices reached")
    func refused() async throws {
        let stage = try TopicBench()
        try await stage.subscriptions.subscribe(try await stage.devices(1_100), to: "news")
        let id = try await accept(1, on: stage)[0]
        let pages = Mutex(0)
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.isOfChunk && $0.precondition == .exists(false) }) else { return }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                if page == 2 { throw StoreError(.invalidArgument, "too large") }
            }
        }
        try await stage.running { try await stage.ended(id) }
        let message = try await stage.bench.disk.documents.document(at: DocumentPath("messages/\(id)"))
        #expect(message?["chunkCount"] == .integer(1) && message?["targetCount"] == .integer(500))
        #expect(stage.bench.transport.sent.count == 500)
    }

    @Test("A broadcast whose message is damaged or missing is given up and delays no other", arguments: [true, false])
    func message(isDamaged: Bool) async throws {
        let stage = try TopicBench()
        let ids = try await accept(2, on: stage)
        let path = try DocumentPath("messages/\(ids[0])")
        if isDamaged {
            try await stage.bench.disk.damage(path)
        } else {
            _ = try await stage.bench.disk.documents.commit([.delete(path)])
        }
        let next = try TopicBench(on: stage)
        try await next.running { try await next.ended(ids[1]) }
        #expect(try await !exists("broadcasts/\(ids[0])", on: next))
        #expect(next.bench.log.lines.contains { $0.hasPrefix("error giving up a broadcast") })
    }
}
