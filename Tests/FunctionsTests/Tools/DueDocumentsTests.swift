import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Due documents", .timeLimit(.minutes(10)))
struct DueDocumentsTests {
    private struct Refusal: Error {}

    private let clock = ManualClock()
    private let disk: TemporaryStore
    private let log = CollectedLog()

    init() throws { disk = try TemporaryStore(clock: clock) }

    private func put(_ id: String, after delay: Duration?) async throws {
        let fields: Fields = delay.map { ["dueAt": .timestamp(clock.timestamp.adding($0))] } ?? ["other": .integer(1)]
        _ = try await disk.documents.commit([.set(CollectionPath("things").document(id), fields)])
    }

    private func running(
        _ work: @escaping @Sendable (Document) async throws -> Void, _ body: (DueDocuments) async throws -> Void
    ) async throws {
        let documents = DueDocuments(
            "test", in: try CollectionPath("things"), by: "dueAt", store: disk.documents, clock: clock,
            now: { [clock] in clock.timestamp }, logger: log.logger, work: work)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await documents.run() }
            try await body(documents)
            group.cancelAll()
        }
    }

    private func sleeping(for duration: Duration) async throws {
        try await eventually("a sleep of \(duration)") { clock.pendingSleeps == [duration] }
    }

    @Test("Documents are processed when due, the earliest first, and again when due again")
    func order() async throws {
        let done = Mutex<[String]>([])
        try await put("later", after: .seconds(7))
        try await put("now", after: .zero)
        try await put("never", after: nil)
        try await running { document in
            done.withLock { $0.append(document.path.id) }
            let again: Fields =
                document.path.id == "now" ? ["dueAt": .timestamp(clock.timestamp.adding(.seconds(10)))] : [:]
            _ = try await disk.documents.commit([.set(document.path, again)])
        } _: { _ in
            try await sleeping(for: .seconds(7))
            #expect(done.withLock(\.self) == ["now"])
            clock.advance(by: .seconds(7))
            try await sleeping(for: .seconds(3))
            #expect(done.withLock(\.self) == ["now", "later"])
            clock.advance(by: .seconds(3))
            try await sleeping(for: .seconds(10))
            #expect(done.withLock(\.self) == ["now", "later", "now"])
        }
    }

    @Test("A document whose work fails is tried again later and does not delay others")
    func failures() async throws {
        let tried = Mutex<[String]>([])
        try await put("bad", after: .seconds(-1))
        try await put("good", after: .zero)
        try await running { document in
            tried.withLock { $0.append(document.path.id) }
            guard document.path.id == "good" else { throw Refusal() }
            _ = try await disk.documents.commit([.delete(document.path)])
        } _: { _ in
            try await sleeping(for: .seconds(5))
            #expect(tried.withLock(\.self).contains("good"))
            #expect(tried.withLock { $0.count { $0 == "bad" } } == 1, "no new attempt because of another document")
            clock.advance(by: .seconds(5))
            try await eventually("another attempt") { tried.withLock { $0.count { $0 == "bad" } } == 2 }
            #expect(log.lines.contains { $0.contains("failed to run a scheduled job") })
        }
    }

    @Test("Hundreds of failing documents do not delay others, and a changed one is tried at once")
    func manyFailures() async throws {
        let tried = Mutex<[String: Int]>([:])
        for number in 0..<250 { try await put("bad-\(number)", after: .seconds(-2)) }
        for number in 0..<150 { try await put("good-\(number)", after: .seconds(-1)) }
        try await running { document in
            tried.withLock { $0[document.path.id, default: 0] += 1 }
            guard document.path.id.hasPrefix("good") else { throw Refusal() }
            _ = try await disk.documents.commit([.delete(document.path)])
        } _: { documents in
            try await sleeping(for: .seconds(5))
            #expect(tried.withLock(\.count) == 400 && tried.withLock { $0.values.allSatisfy { $0 == 1 } })
            try await put("bad-7", after: .seconds(-1))
            documents.look()
            try await eventually("the changed document is tried again") { tried.withLock { $0["bad-7"] } == 2 }
            try await sleeping(for: .seconds(5))
            #expect(tried.withLock { $0.values.count { $0 == 1 } } == 399)
        }
    }

    @Test("Due documents are polled regularly and read at once when announced")
    func news() async throws {
        let done = Mutex(0)
        try await running { document in
            done.withLock { $0 += 1 }
            _ = try await disk.documents.commit([.delete(document.path)])
        } _: { documents in
            try await sleeping(for: .seconds(30))
            try await put("new", after: .zero)
            documents.look()
            try await eventually("the announced document is processed") { done.withLock(\.self) == 1 }
            try await sleeping(for: .seconds(30))
            try await put("unannounced", after: .zero)
            clock.advance(by: .seconds(30))
            try await eventually("the unannounced document is processed") { done.withLock(\.self) == 2 }
        }
    }
}
