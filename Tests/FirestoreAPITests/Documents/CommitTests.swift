import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Commits of Firestore's interface")
struct CommitTests {
    typealias Write = Google_Firestore_V1_Write

    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test("A commit without writes succeeds and has a time")
    func empty() async throws {
        let response = try await fixture.commit([])
        #expect(response.hasCommitTime)
        #expect(response.writeResults.isEmpty)
    }

    @Test("A mask sets and deletes the named fields, and an empty one creates an empty document")
    func masks() async throws {
        try await fixture.commit([ServiceFixture.set("a/b", ["x": .integer(1), "y": .integer(2)])])
        var write = ServiceFixture.set("a/b", ["x": .integer(3), "z": .integer(4)])
        write.updateMask.fieldPaths = ["x", "y"]
        var empty = ServiceFixture.set("a/empty", ["x": .integer(1)])
        empty.updateMask = .init()
        try await fixture.commit([write, empty])
        #expect(try await fixture.document("a/b").fields == ["x": .integer(3)])
        #expect(try await fixture.document("a/empty").fields.isEmpty)
    }

    @Test("Fields whose names are canonically equivalent are written, masked and read apart")
    func equivalentNames() async throws {
        let (one, other) = ("\u{E9}", "e\u{301}")
        try await fixture.commit([ServiceFixture.set("a/b", ["\u{E9}": .integer(1), "e\u{301}": .text(one)])])
        #expect(try await fixture.document("a/b").fields == ["\u{E9}": .integer(1), "e\u{301}": .text(one)])
        #expect(try await fixture.document("a/b").fields["e\u{301}"]?.stringValue.utf8.elementsEqual(one.utf8) == true)
        var write = ServiceFixture.set("a/b", ["e\u{301}": .integer(2)])
        write.updateMask.fieldPaths = ["`\(other)`"]
        try await fixture.commit([write])
        #expect(try await fixture.document("a/b").fields == ["\u{E9}": .integer(1), "e\u{301}": .integer(2)])
    }

    @Test("A transform of its own and transforms of an update have results in their order")
    func transforms() async throws {
        var update = ServiceFixture.set("a/b", ["n": .integer(1)])
        update.updateTransforms = [.with { ($0.fieldPath, $0.increment) = ("n", .integer(2)) }]
        let transform = Write.with {
            $0.transform.document = ServiceFixture.name("a/b")
            $0.transform.fieldTransforms = [
                .with { ($0.fieldPath, $0.maximum) = ("n", .integer(9)) },
                .with { ($0.fieldPath, $0.setToServerValue) = ("t", .requestTime) },
            ]
        }
        let response = try await fixture.commit([update, transform])
        #expect(response.writeResults[0].transformResults == [.integer(3)])
        #expect(response.writeResults[1].transformResults.first == .integer(9))
        let time = try #require(response.writeResults[1].transformResults.last).timestampValue
        #expect(time.nanos % 1_000_000 == 0)
        #expect(try await fixture.document("a/b").fields["t"]?.timestampValue == time)
    }

    @Test("A delete's result is empty")
    func delete() async throws {
        try await fixture.commit([ServiceFixture.set("a/b")])
        let response = try await fixture.commit([.with { $0.delete = ServiceFixture.name("a/b") }])
        #expect(response.writeResults == [.init()])
    }

    @Test("A verify has an empty result if the document is as its precondition says, and changes nothing")
    func verify() async throws {
        let written = try await fixture.commit([ServiceFixture.set("a/b", ["n": .integer(1)])])
        let verify = Self.verify("a/b", .with { $0.updateTime = written.commitTime })
        let missing = Self.verify("a/none", .with { $0.exists = false })
        let response = try await fixture.commit([verify, ServiceFixture.set("a/c"), missing])
        #expect(response.writeResults.map(\.hasUpdateTime) == [false, true, false])
        #expect(response.hasCommitTime)
        #expect(try await fixture.document("a/b").updateTime == written.commitTime)
        let status = try await batchWrite([verify, missing]).status.map(\.code)
        #expect(status == [0, 0])
    }

    @Test("A verify of a document that has changed, was made or was removed fails, and nothing is applied")
    func failedVerify() async throws {
        let time = try await fixture.commit([ServiceFixture.set("a/b"), ServiceFixture.set("a/gone")]).commitTime
        try await fixture.commit([
            ServiceFixture.set("a/b", ["n": .integer(1)]), .with { $0.delete = ServiceFixture.name("a/gone") },
        ])
        let read = Google_Firestore_V1_Precondition.with { $0.updateTime = time }
        let failures: [(Write, FirestoreStatus.Code)] = [
            (Self.verify("a/b", read), .failedPrecondition), (Self.verify("a/gone", read), .failedPrecondition),
            (Self.verify("a/b", .with { $0.exists = false }), .alreadyExists),
            (Self.verify("a/b", .with { $0.updateTime = .init() }), .failedPrecondition),
        ]
        for (write, code) in failures {
            let failure = await status { _ = try await fixture.commit([ServiceFixture.set("a/other"), write]) }
            #expect(failure?.code == code)
            let batch = try await batchWrite([ServiceFixture.set("a/batch"), write])
            #expect(batch.status.map(\.code) == [0, Int32(code.rawValue)])
        }
        await #expect(throws: FirestoreStatus.self) { try await fixture.document("a/other") }
    }

    @Test("An update time of 0 creates a document that never was or was deleted, and no other")
    func missingUpdateTime() async throws {
        var write = ServiceFixture.set("a/b", ["n": .integer(1)])
        write.currentDocument.updateTime = .init()
        try await fixture.commit([write])
        let failure = await status { [write] in _ = try await fixture.commit([write]) }
        #expect(failure?.code == .failedPrecondition)
        try await fixture.commit([.with { $0.delete = ServiceFixture.name("a/b") }])
        try await fixture.commit([write])
        #expect(try await fixture.document("a/b").fields == ["n": .integer(1)])
    }

    private static func verify(_ path: String, _ precondition: Google_Firestore_V1_Precondition) -> Write {
        .with {
            $0.verify = ServiceFixture.name(path)
            $0.currentDocument = precondition
        }
    }

    static let refusals: [(Write, FirestoreStatus.Code, String)] = [
        (.init(), .invalidArgument, "empty write operation"),
        (
            .with {
                $0.delete = ServiceFixture.name("a/b")
                $0.updateMask.fieldPaths = ["a"]
            }, .invalidArgument, "a delete must not specify a document mask."
        ),
        (
            .with {
                $0.verify = ServiceFixture.name("a/b")
                $0.updateMask.fieldPaths = ["a"]
            }, .invalidArgument, "a verify must not specify a document mask."
        ),
        (
            .with {
                $0.verify = ServiceFixture.name("a/b")
                $0.updateTransforms = [.with { ($0.fieldPath, $0.setToServerValue) = ("n", .requestTime) }]
            }, .invalidArgument, "a verify must not specify a update transform."
        ),
        (
            .with { $0.transform.document = ServiceFixture.name("a/b") }, .invalidArgument,
            "The list of FieldTransform must not be empty."
        ),
        (
            .with {
                $0.update.name = ServiceFixture.name("a/b")
                $0.updateTransforms = [.with { $0.fieldPath = "n" }]
            }, .invalidArgument, "Operation type must be specified for field transformation."
        ),
        (
            .with {
                $0.update.name = ServiceFixture.name("a/b")
                $0.updateTransforms = [.with { ($0.fieldPath, $0.setToServerValue) = ("n", .unspecified) }]
            }, .invalidArgument, "ServerValue type must be specified for set_to_server_value transformation."
        ),
        (
            ServiceFixture.set("a/b", ["a": .init()]), .invalidArgument,
            "Cannot convert firestore.v1.Value with type unset."
        ),
        (
            .with {
                $0.update.name = ServiceFixture.name("a/b")
                $0.currentDocument.exists = true
            }, .notFound, "No document to update: \(ServiceFixture.name("a/b"))"
        ),
        (
            .with {
                $0.update.name = ServiceFixture.name("a/b")
                $0.currentDocument.updateTime.nanos = 1
            }, .invalidArgument, "timestamp cannot have more than microseconds precision"
        ),
    ]

    @Test("A write that cannot succeed is refused with Firestore's text, and nothing is applied", arguments: refusals)
    func refused(write: Write, code: FirestoreStatus.Code, text: String) async throws {
        let failure = await status { _ = try await fixture.commit([ServiceFixture.set("a/other"), write]) }
        #expect(failure == FirestoreStatus(code, text))
        await #expect(throws: FirestoreStatus.self) { try await fixture.document("a/other") }
    }

    @Test("A write into another database is INVALID_ARGUMENT")
    func otherDatabase() async {
        let write = Write.with { $0.delete = "projects/p/databases/other/documents/a/b" }
        let failure = await status { _ = try await fixture.commit([write]) }
        #expect(failure?.code == .invalidArgument)
    }

    @Test("A batch has a status for each write, and a failed one leaves the others")
    func batch() async throws {
        var failing = ServiceFixture.set("a/missing")
        failing.currentDocument.exists = true
        let response = try await batchWrite([ServiceFixture.set("a/1"), failing, ServiceFixture.set("a/2")])
        #expect(response.status.map(\.code) == [0, 5, 0])
        #expect(response.writeResults.map(\.hasUpdateTime) == [true, false, true])
        #expect(try await fixture.document("a/2").fields.isEmpty)
    }

    @Test("A batch with a document twice, a malformed value or 501 writes is refused as a whole")
    func refusedBatches() async {
        let first = ServiceFixture.set("a/1")
        let reserved = ServiceFixture.set("a/2", ["__x__": .integer(1)])
        let many = (0...500).map { ServiceFixture.set("b/\($0)") }
        for writes in [[first, first], [first, reserved], many] {
            let failure = await status { _ = try await batchWrite(writes) }
            #expect(failure?.code == .invalidArgument)
        }
        await #expect(throws: FirestoreStatus.self) { try await fixture.document("a/1") }
    }

    @Test("A redacted caller can write, but not the mark of a secret that it has read")
    func redacted() async throws {
        let database = "\(ServiceFixture.database)"
        let mark = [ServiceFixture.set("a/b", ["token": .text("…")])]
        for writes in [mark, [ServiceFixture.set("a/c")] + mark] {
            let failure = await status {
                _ = try await fixture.service.commit(
                    .with { ($0.database, $0.writes) = (database, writes) }, as: fixture.reader)
            }
            #expect(failure?.code == .invalidArgument)
            await #expect(throws: FirestoreStatus.self) {
                try await fixture.document(writes.count == 1 ? "a/b" : "a/c")
            }
        }
        _ = try await fixture.service.commit(
            .with { ($0.database, $0.writes) = (database, [ServiceFixture.set("a/b", ["n": .integer(1)])]) },
            as: fixture.reader)
        #expect(try await fixture.document("a/b").fields == ["n": .integer(1)])
    }

    private func batchWrite(_ writes: [Write]) async throws -> Google_Firestore_V1_BatchWriteResponse {
        try await fixture.service.batchWrite(
            .with { ($0.database, $0.writes) = ("\(ServiceFixture.database)", writes) }, as: fixture.owner)
    }
}
