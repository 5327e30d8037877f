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

    @Test("The emulator's ClearData empties the named database, for callers with full access only")
    func clearData() async throws {
        guard case .unary(let clear)? = fixture.service.method("ClearData") else {
            Issue.record("ClearData is not a method of one message")
            return
        }
        try await fixture.commit([ServiceFixture.set("a/b")])
        let name = Array("\(ServiceFixture.database)".utf8)
        let request = [0x0A, UInt8(name.count)] + name
        for caller in [fixture.reader, fixture.stranger] {
            let refusal = await status { _ = try await clear(request, caller) }
            #expect(refusal?.code == .permissionDenied)
        }
        let unnamed = await status { _ = try await clear([], fixture.owner) }
        #expect(unnamed?.code == .invalidArgument)
        #expect(try await fixture.document("a/b").fields.isEmpty)
        #expect(try await clear(request, fixture.owner) == [])
        let read = await status { _ = try await fixture.document("a/b") }
        #expect(read?.code == .notFound)
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
