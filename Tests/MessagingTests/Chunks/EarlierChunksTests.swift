import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Chunks of builds before 0.1.0", .timeLimit(.minutes(10)))
struct EarlierChunksTests {
    @Test("An outbox with such a chunk is refused with the commit that converts it, and the chunk stays")
    func refused() async throws {
        let bench = try Bench()
        let chunk = try OutboxDocuments.messagePath("m").document("0", in: "chunks")
        _ = try await bench.disk.documents.commit([.set(chunk, ["attempts": .integer(0)])])
        let error = await #expect(throws: StoreError.self) { try await EarlierChunks.refuse(in: bench.store) }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("a build of commit \(EarlierForm.lastConversion)") == true)
        #expect(try await bench.disk.documents.document(at: chunk) != nil)
    }

    @Test("An outbox with messages of this version, and collections of the same name elsewhere, are not refused")
    func accepted() async throws {
        let bench = try Bench()
        _ = try await bench.outbox.accept(.sample(tokens: ["a"]))
        let foreign = try DocumentPath("videos/1/chunks/2")
        _ = try await bench.disk.documents.commit([.set(foreign, ["queue": "fcm// 2026"])])
        try await EarlierChunks.refuse(in: bench.store)
    }
}
