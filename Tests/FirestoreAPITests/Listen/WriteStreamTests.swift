import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Synchronization
import TestDoubles
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Write streams")
struct WriteStreamTests {
    private typealias Request = Google_Firestore_V1_WriteRequest

    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    private static let opening = Request.with { $0.database = "\(ServiceFixture.database)" }

    /// Sends the requests, each when the one before it has been answered.
    ///
    /// - Parameter reads: receives the number of each request when it is read.
    private func run(
        _ requests: [Request], on service: FirestoreService, as caller: FirestoreCaller,
        reads: Written<Int> = Written<Int>()
    ) async throws -> [Google_Firestore_V1_WriteResponse] {
        guard case .streaming(let write)? = service.method("Write") else {
            Issue.record("Write is not a method with a stream")
            return []
        }
        let left = Mutex<[[UInt8]]>(try requests.map { try $0.serializedBytes() })
        let messages = FirestoreMessages {
            reads.add(reads.messages.count)
            return left.withLock { left -> [UInt8]? in left.isEmpty ? nil : left.removeFirst() }
        }
        let answers = Written<[UInt8]>()
        try await write(messages, caller) { answers.add($0) }
        return try answers.messages.map { try Google_Firestore_V1_WriteResponse(serializedBytes: $0) }
    }

    @Test("The writes of a stream are committed in order, each answered with its results")
    func writes() async throws {
        let verify = Google_Firestore_V1_Write.with {
            $0.verify = ServiceFixture.name("c/b")
            $0.currentDocument.exists = false
        }
        let commit = Request.with { $0.writes = [ServiceFixture.set("c/a"), verify] }
        let answers = try await run([Self.opening, commit, Request()], on: fixture.service, as: fixture.owner)
        #expect(answers.map(\.writeResults.count) == [0, 2, 0])
        #expect(answers.dropFirst().first?.writeResults.map(\.hasUpdateTime) == [true, false])
        #expect(answers.first?.streamID.isEmpty == false)
        #expect(answers.allSatisfy { !$0.streamToken.isEmpty })
        #expect(try await fixture.document("c/a").fields.isEmpty)
    }

    @Test("A stream that does not begin with its database, or that begins with writes, is refused")
    func beginning() async throws {
        let commit = Request.with { $0.writes = [ServiceFixture.set("c/a")] }
        var both = Self.opening
        both.writes = commit.writes
        for request in [commit, both] {
            let failure = await status { _ = try await run([request], on: fixture.service, as: fixture.owner) }
            #expect(failure?.code == .invalidArgument)
        }
        #expect(await status { _ = try await fixture.document("c/a") }?.code == .notFound)
    }

    @Test("The writes of a client that has gone before their turn are not applied")
    func gone() async throws {
        let reads = Written<Int>()
        // It goes when its second request has been read.
        let caller = fixture.owner.waiting { reads.messages.count < 2 }
        let commit = Request.with { $0.writes = [ServiceFixture.set("c/a")] }
        let failure = await status {
            _ = try await run([Self.opening, commit], on: fixture.service, as: caller, reads: reads)
        }
        #expect(failure?.code == .cancelled)
        #expect(await status { _ = try await fixture.document("c/a") }?.code == .notFound)
    }

    @Test("A large request of a stream has the thread for large requests, and a small one has not")
    func threads() async throws {
        let executors = Written<UnownedTaskExecutor?>()
        let service = FirestoreService(
            engine: fixture.store.engine,
            redaction: Redaction(
                hide: { $0 },
                marked: { _ in
                    executors.add(withUnsafeCurrentTask { $0?.unownedTaskExecutor })
                    return nil
                }), server: 1, logger: fixture.log.logger)
        let small = Request.with { $0.writes = [ServiceFixture.set("c/a")] }
        _ = try await run([Self.opening, small], on: service, as: fixture.reader)
        let count = executors.messages.count
        let large = Request.with {
            $0.writes = [ServiceFixture.set("c/b", ["x": .text(String(repeating: "x", count: 100_000))])]
        }
        _ = try await run([Self.opening, large], on: service, as: fixture.reader)
        let thread: UnownedTaskExecutor? = service.largeRequests.asUnownedTaskExecutor()
        #expect(count > 0 && executors.messages.count > count)
        #expect(executors.messages.prefix(count).allSatisfy { $0 == nil })
        #expect(executors.messages.dropFirst(count).allSatisfy { $0 == thread })
    }
}
