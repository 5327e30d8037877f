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

    /// A query that is larger than 64 KiB and has more than 16,384 elements, as JSON too.
    private static let query = Google_Firestore_V1_RunQueryRequest.with {
        $0.parent = ServiceFixture.root
        $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
        $0.structuredQuery.select.fields = (0..<17_000).map { number in .with { $0.fieldPath = "f\(number)" } }
    }

    /// Runs the query over gRPC.
    private func runQuery(_ service: FirestoreService) async throws {
        guard case .streaming(let run)? = service.method("RunQuery") else {
            Issue.record("RunQuery is not a method with a stream")
            return
        }
        let bytes: [UInt8] = try Self.query.serializedBytes()
        try await run(FirestoreMessages { bytes }, caller) { _ in }
    }

    private func answer(
        to message: some Message, _ method: String, _ service: FirestoreService
    ) async throws -> RESTAnswer {
        let request = RESTRequest(
            method: "POST", path: "/v1/\(ServiceFixture.root):\(method)", body: try message.jsonUTF8Bytes())
        return await FirestoreREST(service).answer(request, as: caller)
    }

    @Test(
        "Requests that are answered with streams have memory of their own, over gRPC and REST",
        arguments: [true, false])
    func memories(isOfReads: Bool) async throws {
        let fixture = try ServiceFixture()
        defer { withExtendedLifetime(fixture) {} }
        let service = fixture.service
        guard case .unary(let commit)? = service.method("Commit") else {
            Issue.record("Commit is not a method of one message")
            return
        }
        let request = Google_Firestore_V1_CommitRequest.with {
            $0.database = "\(ServiceFixture.database)"
            let values = [Google_Firestore_V1_Value](repeating: .integer(1), count: 17_000)
            $0.writes = [ServiceFixture.set("a/b", ["x": .with { $0.arrayValue.values = values }])]
        }
        let memory = isOfReads ? service.readMemory : service.requestMemory
        let everything = try memory.reserve(RequestLimits.elements)
        let read = await status { try await runQuery(service) }
        let written = await status { _ = try await commit(request.serializedBytes(), caller) }
        let readOverREST = try await answer(to: Self.query, "runQuery", service)
        let writtenOverREST = try await answer(to: request, "commit", service)
        withExtendedLifetime(everything) {}
        let (refused, other) = isOfReads ? (read, written) : (written, read)
        #expect(refused?.code == .resourceExhausted && other == nil)
        #expect([readOverREST.status, writtenOverREST.status] == (isOfReads ? [429, 200] : [200, 429]))
    }

    private static var executor: UnownedTaskExecutor? { withUnsafeCurrentTask { task in task?.unownedTaskExecutor } }

    /// Runs the query over REST, with an answer that is too long to be held back.
    private func takeLongAnswer(of service: FirestoreService, _ take: @escaping @Sendable () -> Void) async throws {
        var request = Self.query
        request.structuredQuery.select.fields.append(.with { $0.fieldPath = "x" })
        guard case .stream(let stream) = try await answer(to: request, "runQuery", service).body else {
            Issue.record("the answer is short")
            return
        }
        try await stream { _ in take() }
    }

    @Test("A long answer over REST keeps its request's memory to its end, and runs on the thread for large requests")
    func longAnswer() async throws {
        let fixture = try ServiceFixture()
        let text = String(repeating: "x", count: 400_000)
        try await fixture.commit((0..<4).map { ServiceFixture.set("c/\($0)", ["x": .text(text)]) })
        let memory = fixture.service.readMemory
        let (executors, reservations) = (Written<UnownedTaskExecutor?>(), Written<RequestReservation?>())
        try await takeLongAnswer(of: fixture.service) {
            executors.add(Self.executor)
            reservations.add(try? memory.reserve(RequestLimits.elements))
        }
        let thread: UnownedTaskExecutor? = fixture.service.largeRequests.asUnownedTaskExecutor()
        // The last piece closes the array, after the call.
        #expect(executors.messages.count > 1 && executors.messages.dropLast().allSatisfy { $0 == thread })
        #expect(reservations.messages.allSatisfy { $0 == nil })
        #expect(try memory.reserve(RequestLimits.elements) != nil, "the answer has ended")
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
