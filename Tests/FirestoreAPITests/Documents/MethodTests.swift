import FirestoreProtos
import SwiftProtobuf
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Firestore's methods over encoded messages")
struct MethodTests {
    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test("A method answers an encoded message, and the log names the database once")
    func commit() async throws {
        guard case .unary(let commit)? = fixture.service.method("Commit") else {
            Issue.record("Commit is not a method of one message")
            return
        }
        let request = Google_Firestore_V1_CommitRequest.with { $0.database = "\(ServiceFixture.database)" }
        for _ in 0..<2 {
            let answer = try await commit(request.serializedBytes(), fixture.owner)
            #expect(try Google_Firestore_V1_CommitResponse(serializedBytes: answer).hasCommitTime)
        }
        #expect(fixture.log.lines.filter { $0.contains("first request for a database") }.count == 1)
    }

    @Test("Bytes that are no message are INVALID_ARGUMENT")
    func malformed() async {
        guard case .unary(let commit)? = fixture.service.method("Commit") else {
            Issue.record("Commit is not a method of one message")
            return
        }
        let failure = await status { _ = try await commit([0xFF], fixture.owner) }
        #expect(failure?.code == .invalidArgument)
    }

    @Test("A pipeline is UNIMPLEMENTED, and other names are no methods")
    func unknown() async {
        guard case .streaming(let pipeline)? = fixture.service.method("ExecutePipeline") else {
            Issue.record("ExecutePipeline is not a method with a stream")
            return
        }
        let failure = await status { try await pipeline(FirestoreMessages { nil }, fixture.owner) { _ in } }
        #expect(failure?.code == .unimplemented)
        if case .some = fixture.service.method("Nothing") { Issue.record("Nothing is a method") }
    }
}
