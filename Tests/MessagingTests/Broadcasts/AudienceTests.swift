import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Broadcasts to an audience", .timeLimit(.minutes(10)))
struct AudienceTests {
    private static let phones = "phones"

    private let stage: TopicBench

    init() throws { stage = try TopicBench() }

    // MARK: RegistrationPruner

    /// Registers `p00000` and so on, with tokens of the same number unless `token` returns another.
    private func register(_ numbers: Range<Int>, token: (Int) -> String = { "t\($0)" }) async throws {
        let writes = try numbers.map { number in
            Write.set(try path(number), ["token": .string(token(number)), "bundleId": "com.example.app"])
        }
        _ = try await stage.bench.disk.documents.commit(writes)
    }

    private func path(_ number: Int) throws -> DocumentPath {
        let digits = String(number)
        return try CollectionPath(Self.phones).document("p" + String(repeating: "0", count: 5 - digits.count) + digits)
    }

    private func submit(
        on stage: TopicBench, excluding id: String? = nil, _ tokens: [RegistrationToken] = []
    ) async throws -> Delivery {
        let phones = try CollectionPath(Self.phones)
        let page = try await stage.bench.store.documents(matching: Audience.firstPage(of: phones))
        return try await stage.broadcaster.submit(
            .sample(), to: Audience(of: phones, excluding: id, tokens), page)
    }

    private func tokens(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "t\($0)" }.sorted() }

    private func sentTokens(_ stages: TopicBench...) -> [String] {
        stages.flatMap { $0.bench.transport.sent.map(\.token) }.sorted()
    }

    // MARK: Tests

    @Test(
        "The only device gets the message, unless its id or its token is excluded",
        arguments: [nil, "id", "token"] as [String?])
    func one(excluded: String?) async throws {
        try await register(7..<8)
        try await stage.running {
            let delivery = try await submit(
                on: stage, excluding: excluded == "id" ? "p00007" : nil,
                excluded == "token" ? [RegistrationToken("t7")] : [])
            let progress = try await delivery.firstAttempts(waiting: .seconds(10))
            #expect(progress.sent == (excluded == nil ? 1 : 0))
            #expect(progress.excluded == (excluded == nil ? 0 : 1))
        }
        #expect(sentTokens(stage) == (excluded == nil ? ["t7"] : []))
    }

    @Test("A broadcast reaches each of 1,203 devices once, in chunks of 500, and its progress counts all at once")
    func all() async throws {
        try await register(0..<1_203)
        try await stage.running {
            let delivery = try await submit(on: stage)
            let progress = try await delivery.progress(waiting: .zero)
            #expect(progress.attempted == 1_203 && progress.excluded == 0)
            try await stage.ended(delivery.messageID)
            let chunks = try await stage.bench.chunks(of: delivery.messageID)
            #expect(chunks.map(\.targets.count).sorted() == [203, 500, 500])
            let message = try await stage.bench.disk.documents.document(
                at: DocumentPath("messages/\(delivery.messageID)"))
            #expect(message?["targetCount"] == .integer(1_203) && message?["chunkCount"] == .integer(3))
            #expect(try await delivery.firstAttempts(waiting: .seconds(10)).sent == 1_203)
        }
        #expect(sentTokens(stage) == tokens(0..<1_203))
        #expect(stage.bench.transport.sent.allSatisfy { $0.target.address.app.bundleID == "com.example.app" })
    }

    @Test("A broadcast sends to its first 500 devices before it reads the rest")
    func firstPage() async throws {
        try await register(0..<700)
        try await stage.bench.running {
            _ = try await submit(on: stage)
            try await eventually("the first page is sent") { stage.bench.transport.sent.count == 500 }
        }
        #expect(sentTokens(stage) == tokens(0..<500))
    }

    @Test("A broadcast leaves out excluded devices and repeated tokens on any page")
    func exclusions() async throws {
        // The second 600 have the same tokens as the first.
        try await register(0..<1_200) { "t\($0 % 600)" }
        try await stage.running {
            let delivery = try await submit(
                on: stage, excluding: "p00700", [RegistrationToken("t100"), RegistrationToken("t3")])
            let progress = try await delivery.firstAttempts(waiting: .seconds(10))
            #expect(progress.attempted == 598 && progress.excluded == 602)
            try await stage.ended(delivery.messageID)
        }
        #expect(sentTokens(stage) == tokens((0..<600).filter { $0 != 100 && $0 != 3 }))
    }

    @Test("A broadcast leaves out devices that register later and devices that are gone when it reads them")
    func changes() async throws {
        try await register(0..<1_000)
        let delivery = try await submit(on: stage)
        try await delivery.accepted()
        try await register(1_000..<1_100)
        _ = try await stage.bench.disk.documents.commit([.delete(try path(700))])
        try await stage.running { try await stage.ended(delivery.messageID) }
        #expect(sentTokens(stage) == tokens((0..<1_000).filter { $0 != 700 }))
        #expect(delivery.progress.attempted == 999 && delivery.progress.excluded == 0)
    }

    @Test("A broadcast continues after a crash, sends to each token once and still leaves out excluded ones")
    func crash() async throws {
        // The last hundred repeat earlier tokens, and one of those is excluded.
        try await register(0..<1_600) { "t\($0 < 1_500 ? $0 : $0 - 1_500)" }
        let pages = stage.failPages(after: 2)
        try await stage.running {
            _ = try await submit(on: stage, [RegistrationToken("t50")])
            try await eventually("two pages are stored") { pages() > 2 && stage.bench.transport.sent.count == 999 }
        }
        let next = try TopicBench(on: stage)
        let id = try #require(
            try await next.bench.disk.documents.documents(matching: .collectionGroup("broadcasts")).first?.path.id)
        try await next.running { try await next.ended(id) }
        #expect(Set(sentTokens(stage, next)) == Set(tokens((0..<1_500).filter { $0 != 50 })))
        let ids = (stage.bench.transport.sent + next.bench.transport.sent).map(\.id)
        #expect(Set(ids).count == 1_499)
    }

    @Test("A broadcast waits while a page cannot be stored, and then sends to each device once")
    func fullDisk() async throws {
        try await register(0..<1_200)
        let pages = stage.failPages(after: 1)
        try await stage.running {
            let delivery = try await submit(on: stage)
            try await eventually("a page fails") { pages() > 1 }
            stage.bench.store.set { $0.beforeCommit = { _ in } }
            try await eventually("the rest is sent", advancing: stage.bench.clock, by: .seconds(1)) {
                stage.bench.transport.sent.count == 1_200
            }
            #expect(try await delivery.progress(waiting: .zero).attempted == 1_200)
            try await stage.ended(delivery.messageID)
        }
        #expect(sentTokens(stage) == tokens(0..<1_200))
    }

    @Test("A broadcast that cannot be stored is not sent, and the waiting caller gets the error")
    func refused() async throws {
        try await register(0..<600)
        _ = stage.failPages(after: 0)
        try await stage.running {
            let delivery = try await submit(on: stage)
            await #expect(throws: StoreError.self) { try await delivery.progress(waiting: .seconds(10)) }
        }
        #expect(stage.bench.transport.sent.isEmpty)
    }
}
