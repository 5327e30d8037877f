import DocumentStore
import JSON
import Testing
import Texts

@testable import FirestoreAPI

@Suite("REST", .timeLimit(.minutes(10)))
struct RESTTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    private func ask(
        _ method: String, _ path: String, query: String = "", _ body: String = "", as caller: FirestoreCaller? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        let request = RESTRequest(method: method, path: path, query: query, body: Array(body.utf8))
        let answer = await FirestoreREST(fixture.service).answer(request, as: caller ?? fixture.owner)
        switch answer.body {
        case .bytes(let bytes): return (answer.status, try JSONValue(parsing: bytes))
        case .stream(let stream):
            let pieces = Written<[UInt8]>()
            try await stream { piece in pieces.add(piece) }
            return (answer.status, try JSONValue(parsing: pieces.messages.flatMap { $0 }))
        }
    }

    private static let root = "/v1/" + ServiceFixture.root

    @Test("Values of all kinds are answered as they were sent, in the JSON of protobuf")
    func values() async throws {
        let body = #"""
            {"fields":{"i":{"integerValue":"9007199254740993"},"zero":{"doubleValue":-0.0},"nan":{"doubleValue":"NaN"},
            "t":{"timestampValue":"2026-01-01T14:00:00.500+02:00"},"b":{"bytesValue":"-_8"},"n":{"nullValue":null}}}
            """#
        #expect(try await ask("PATCH", Self.root + "/a/b", body).status == 200)
        let fields = try await ask("GET", Self.root + "/a/b").json["fields"]
        #expect(fields?["i"] == ["integerValue": "9007199254740993"])
        #expect(fields?["zero"]?["doubleValue"]?.double?.sign == .minus)
        #expect(fields?["nan"] == ["doubleValue": "NaN"])
        #expect(fields?["t"] == ["timestampValue": "2026-01-01T12:00:00.500Z"])
        #expect(fields?["b"] == ["bytesValue": "+/8="])
        #expect(fields?["n"] == ["nullValue": nil])
    }

    @Test("Fields are taken in snake_case, and an unknown field is refused")
    func fields() async throws {
        let body = #"{"fields":{"s":{"string_value":"x"}}}"#
        #expect(try await ask("POST", Self.root + "/a", query: "document_id=b&key=k", body).status == 200)
        #expect(try await ask("POST", Self.root + "/a", query: "documentId=b", body).status == 409)
        #expect(try await ask("POST", Self.root + "/a", query: "documentId=c").status == 200)
        let refused = try await ask("POST", Self.root + "/a", #"{"nothing":1}"#)
        #expect(refused.status == 400)
        #expect(
            refused.json["error"] == [
                "code": 400, "message": "Payload isn't valid for request.", "status": "INVALID_ARGUMENT",
            ])
        #expect(try await ask("GET", Self.root + "/a", query: "pageSize=x").status == 400)
    }

    @Test("A precondition in the URL is kept")
    func precondition() async throws {
        let time = try await ask("PATCH", Self.root + "/a/b").json["updateTime"]?.string ?? ""
        let body = #"{"fields":{"n":{"integerValue":1}}}"#
        let query = "currentDocument.updateTime=\(time)"
        #expect(try await ask("PATCH", Self.root + "/a/b", query: query, body).status == 200)
        #expect(try await ask("DELETE", Self.root + "/a/b", query: query).status == 400)
        #expect(try await ask("GET", Self.root + "/a/b").status == 200)
        #expect(try await ask("DELETE", Self.root + "/a/b").json == [:])
        #expect(try await ask("GET", Self.root + "/a/b").status == 404)
    }

    @Test("The verify of a document that a transaction has read is taken, and fails after a change")
    func verify() async throws {
        let time = try await ask("PATCH", Self.root + "/a/b").json["updateTime"]?.string ?? ""
        let name = ServiceFixture.name("a/b")
        let body = #"{"writes":[{"verify":"\#(name)","currentDocument":{"updateTime":"\#(time)"}}]}"#
        let verified = try await ask("POST", Self.root + ":commit", body)
        #expect(verified.status == 200)
        #expect(verified.json["writeResults"] == [[:]])
        #expect(try await ask("GET", Self.root + "/a/b").json["updateTime"]?.string == time)
        _ = try await ask("PATCH", Self.root + "/a/b", #"{"fields":{"n":{"integerValue":"1"}}}"#)
        let refused = try await ask("POST", Self.root + ":commit", body)
        #expect(refused.status == 400)
        #expect(refused.json["error"]?["status"] == "FAILED_PRECONDITION")
        let gone = "currentDocument.updateTime=1970-01-01T00:00:00Z"
        #expect(try await ask("PATCH", Self.root + "/a/b", query: gone).status == 400)
        #expect(try await ask("PATCH", Self.root + "/a/new", query: gone).status == 200)
    }

    @Test("A misspelt parameter changes nothing: neither the fields without a mask, nor a document without a condition")
    func misspelt() async throws {
        let body = #"{"fields":{"a":{"integerValue":"1"},"b":{"integerValue":"2"}}}"#
        let before = try await ask("PATCH", Self.root + "/a/b", body).json
        let update = #"{"fields":{"a":{"integerValue":"3"}}}"#
        for query in ["updateMask.fieldPath=a", "updateMask=a", "updatemask.fieldPaths=a", "x=1", "a=%"] {
            let answer = try await ask("PATCH", Self.root + "/a/b", query: query, update)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
        }
        for query in ["currentDocument.exist=false", "currentDocument.exists=", "currentDocument.exists=no", "x=1"] {
            #expect(try await ask("DELETE", Self.root + "/a/b", query: query).status == 400)
        }
        #expect(try await ask("DELETE", "/emulator" + Self.root, query: "database=other").status == 400)
        #expect(try await ask("POST", Self.root + "/a", query: "documentID=c", body).status == 400)
        #expect(try await ask("GET", Self.root + "/a").json["documents"] == [before])
        #expect(try await ask("GET", Self.root + "/a", query: "pagesize=1").status == 400)
        #expect(try await ask("POST", Self.root + ":listCollectionIds", query: "pageSize=1").status == 400)
        #expect(try await ask("GET", "/v1/projects/p/databases", query: "filter=a").status == 400)
        let updated = try await ask("PATCH", Self.root + "/a/b", query: "update_mask.field_paths=a", update).json
        #expect(updated["fields"] == ["a": ["integerValue": "3"], "b": ["integerValue": "2"]])
    }

    @Test("A short and a long stream are one JSON array with each document once", arguments: [3, 3_000])
    func stream(count: Int) async throws {
        let text = String(repeating: "x", count: 500)
        try await fixture.commit((0..<count).map { ServiceFixture.set("a/\($0)", ["s": .text(text)]) })
        let body = #"{"structured_query":{"from":[{"collectionId":"a"}]}}"#
        let answer = try await ask("POST", Self.root + ":runQuery", body)
        let names = answer.json.array?.compactMap { $0["document"]?["name"]?.string } ?? []
        #expect(answer.status == 200)
        #expect(Set(names).count == count && names.count == count)
        #expect(try await ask("POST", Self.root + ":batchGet").json == [])
        #expect(try await ask("POST", Self.root + ":runQuery").status == 400)
    }

    /// An object that tells when nothing refers to it any longer.
    private final class Kept: Sendable {
        let ended: Written<Bool>

        init(_ ended: Written<Bool>) { self.ended = ended }

        deinit { ended.add(true) }
    }

    @Test("A long answer keeps an object until it has been written, and a short one keeps none")
    func keptObject() async throws {
        let (short, long) = (Written<Bool>(), Written<Bool>())
        let bytes = RESTAnswer(body: .bytes([1])).keeping(Kept(short))
        #expect(short.messages == [true])
        guard case .bytes(let content) = bytes.body, content == [1] else {
            Issue.record("the short answer has changed")
            return
        }
        func run() async throws {
            let answer = RESTAnswer(status: 201, body: .stream { write in try await write([2]) }).keeping(Kept(long))
            #expect(answer.status == 201)
            guard case .stream(let stream) = answer.body else { return }
            try await stream { piece in #expect(piece == [2] && long.messages.isEmpty) }
        }
        try await run()
        #expect(long.messages == [true])
    }

    @Test("A database is emptied and listed only for callers with access")
    func databases() async throws {
        try await fixture.commit([ServiceFixture.set("a/b")])
        let path = "/emulator" + Self.root
        #expect(try await ask("DELETE", path, as: fixture.reader).status == 403)
        #expect(try await ask("DELETE", path, as: fixture.stranger).status == 403)
        let listed: JSONValue = ["databases": [["name": "projects/p/databases/(default)"]]]
        #expect(try await ask("GET", "/v1/projects/-/databases").json == listed)
        #expect(try await ask("GET", "/v1/projects/p/databases", as: fixture.stranger).json == ["databases": []])
        #expect(try await ask("DELETE", path).json == [:])
        #expect(try await ask("GET", Self.root + "/a/b").status == 404)
    }
}
