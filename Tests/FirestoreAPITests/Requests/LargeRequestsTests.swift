import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Calls with large requests")
struct LargeRequestsTests {
    private let requests = LargeRequests()
    private let caller = FirestoreCaller { _ in .success(.full) }

    /// `true` if the current task runs on the thread for large requests.
    private var isOnTheirThread: Bool {
        withUnsafeCurrentTask { task in task?.unownedTaskExecutor == requests.asUnownedTaskExecutor() }
    }

    @Test("A large request has its thread, and a small one has not")
    func threads() async throws {
        #expect(try await !requests.run(64 * 1_024, for: caller) { isOnTheirThread })
        #expect(try await requests.run(64 * 1_024 + 1, for: caller) { isOnTheirThread })
        #expect(!isOnTheirThread)
    }

    @Test("The errors of a call are its own")
    func errors() async {
        for bytes in [1, 100_000] {
            let failure = await status {
                try await requests.run(bytes, for: caller) { () async throws(FirestoreStatus) -> Void in
                    throw FirestoreStatus(.notFound, "none")
                }
            }
            #expect(failure?.code == .notFound)
        }
    }

    @Test("A large request whose client has gone is not read")
    func gone() async {
        let reads = Written<Bool>()
        let failure = await status {
            try await requests.run(100_000, for: caller.waiting { false }) {
                () async throws(FirestoreStatus) -> Void in reads.add(true)
            }
        }
        #expect(failure?.code == .cancelled)
        #expect(reads.messages.isEmpty)
    }

    @Test("Requests together have the memory for a number of elements, and small ones need none")
    func memory() throws {
        let memory = RequestMemory(elements: 100_000)
        var first = try memory.reserve(60_000)
        #expect(first != nil)
        let failure = #expect(throws: FirestoreStatus.self) { try memory.reserve(60_000) }
        #expect(failure?.code == .resourceExhausted)
        #expect(try memory.reserve(16_384) == nil)
        first = nil
        #expect(try memory.reserve(100_000) != nil)
        #expect(try memory.reserve(100_000) != nil, "the reservation has ended with its last reference")
    }

    @Test("A commit of more than 64 KiB is applied, over gRPC and REST")
    func commits() async throws {
        let fixture = try ServiceFixture()
        let text = String(repeating: "x", count: 100_000)
        guard case .unary(let commit)? = fixture.service.method("Commit") else {
            Issue.record("Commit is not a method of one message")
            return
        }
        let request = Google_Firestore_V1_CommitRequest.with {
            $0.database = "\(ServiceFixture.database)"
            $0.writes = [ServiceFixture.set("a/b", ["x": .text(text)])]
        }
        _ = try await commit(request.serializedBytes(), fixture.owner)
        #expect(try await fixture.document("a/b").fields["x"] == .text(text))
        let body = #"{"fields":{"x":{"stringValue":"\#(text)"}}}"#
        let answer = await FirestoreREST(fixture.service).answer(
            RESTRequest(method: "PATCH", path: "/v1/" + ServiceFixture.name("a/c"), body: Array(body.utf8)),
            as: fixture.owner)
        #expect(answer.status == 200)
        #expect(try await fixture.document("a/c").fields["x"] == .text(text))
    }
}
