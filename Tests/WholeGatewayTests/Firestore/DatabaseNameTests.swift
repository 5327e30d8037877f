import DocumentStore
import FCMInterface
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

@testable import Gateway

@Suite("Names of databases at a running gateway", .timeLimit(.minutes(10)))
struct DatabaseNameTests {
    private static let readToken = "reads-only-0123456789"

    /// Names that must not be taken for the gateway's own database, percent-encoded.
    private static let disguises = [
        "pushgate%00/databases/(default)", "pushgate/databases/(default)%00", "pushgate%00x/databases/%28default%29",
        "pushgate%0A/databases/(default)", "pushgate/databases/(default)%1B", "pushgat%CC%81e/databases/(default)",
    ]

    private func withOwnDocument(_ body: (RunningGateway) async throws -> Void) async throws {
        try await withGateway(["admin.readToken": Self.readToken]) { gateway async throws in
            _ = try await gateway.gateway.store.commit([.set(try DocumentPath("notes/a"), ["token": .string("whole")])])
            try await body(gateway)
            // Nothing was written, and nothing was removed.
            let stored = try await gateway.gateway.store.document(at: try DocumentPath("notes/a"))
            #expect(stored?.fields == ["token": .string("whole")])
            let collections = try await gateway.gateway.store.collectionIDs(below: nil)
            #expect(!collections.contains("written"))
        }
    }

    @Test("A disguised name of the gateway's own database is refused with 400 by each method", arguments: disguises)
    func rest(name: String) async throws {
        try await withOwnDocument { gateway async throws in
            let root = "/v1/projects/\(name)/documents"
            let document: JSONValue = ["fields": [:]]
            let answers = [
                try await gateway.caller.send(.get, "\(root)/notes"),
                try await gateway.caller.send(.get, "\(root)/notes/a"),
                try await gateway.caller.send(.get, "/v1beta1/projects/\(name)/documents/notes/a"),
                try await gateway.caller.send(.patch, "\(root)/written/a", body: document.serialized),
                try await gateway.caller.send(.post, "\(root)/written", body: document.serialized),
                try await gateway.caller.send(.delete, "\(root)/notes/a"),
                try await gateway.caller.send(.post, "\(root):listCollectionIds"),
                try await gateway.caller.send(.delete, "/emulator/v1/projects/\(name)/documents"),
                try await gateway.ask("\(root)/notes/a"),
                try await gateway.ask("/emulator/v1/projects/\(name)/documents", .delete),
            ]
            for answer in answers {
                #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT")
                #expect(!answer.text.contains("whole"))
            }
        }
    }

    @Test("A disguised name of the gateway's own database is refused over gRPC, and in the body of a request")
    func messages() async throws {
        try await withOwnDocument { gateway async throws in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            for database in ["pushgate\u{0}/databases/(default)", "pushgate/databases/(default)\u{0}"] {
                let name = Array("projects/\(database)/documents/notes/a".utf8)
                // The field 1 of GetDocument and of DeleteDocument.
                for method in ["GetDocument", "DeleteDocument"] {
                    let answer = try await client.call(
                        "/google.firestore.v1.Firestore/\(method)", [[0x0A, UInt8(name.count)] + name])
                    #expect(answer.status == "3" && answer.messages.isEmpty)
                }
                let write: JSONValue = [
                    "writes": [["update": ["name": .string("projects/\(database)/documents/written/a")]]]
                ]
                let commit = try await gateway.caller.send(
                    .post, "/v1/projects/demo-app/databases/(default)/documents:commit", body: write.serialized)
                #expect(commit.status == 400)
            }
            try await client.close()
        }
    }

    @Test("A service account with Firestore's scope gets no disguised name past a gateway that delivers")
    func account() async throws {
        try await withSimulator { apns in
            try await withGateway(["firestore.enabled": "true"], simulator: apns) { gateway async throws in
                let own = try DocumentPath("notes/a")
                _ = try await gateway.gateway.store.commit([.set(own, ["token": .string("whole")])])
                let account = try await ServiceAccount(
                    in: gateway.directory, url: gateway.url, scopes: [.firestore])
                let assertion = try account.assertion(["scope": "https://www.googleapis.com/auth/datastore"])
                let granted = try await gateway.caller.askForAccessToken(with: assertion)
                let token = try #require(granted.body["access_token"]?.string)
                // A proxy's field makes the request one from elsewhere, which has no access without the account.
                let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
                let fields: HTTPFields = [.authorization: "Bearer \(token)", forwarded: "192.0.2.1"]
                func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> Answer
                {
                    try await gateway.caller.send(
                        method, path, headerFields: fields, body: body?.serialized ?? [])
                }
                let document: JSONValue = ["fields": [:]]
                // The account has access to databases of applications.
                let other = "/v1/projects/demo-app/databases/(default)/documents/written/a"
                #expect(try await send(.patch, other, document).status == 200)
                for name in Self.disguises {
                    let root = "/v1/projects/\(name)/documents"
                    let answers = [
                        try await send(.get, "\(root)/notes/a"), try await send(.get, "\(root)/notes"),
                        try await send(.patch, "\(root)/written/a", document),
                        try await send(.delete, "\(root)/notes/a"),
                        try await send(.post, "\(root):listCollectionIds"),
                        try await send(.delete, "/emulator/v1/projects/\(name)/documents"),
                    ]
                    for answer in answers { #expect(answer.status == 400 && !answer.text.contains("whole"), "\(name)") }
                }
                #expect(try await gateway.gateway.store.document(at: own)?.fields == ["token": .string("whole")])
                let collections = try await gateway.gateway.store.collectionIDs(below: nil)
                #expect(!collections.contains("written"))
            }
        }
    }

    @Test("The list of databases of a project with a disguised name is refused")
    func list() async throws {
        try await withOwnDocument { gateway async throws in
            #expect(try await gateway.ask("/v1/projects/pushgate%00/databases").status == 400)
            #expect(try await gateway.ask("/v1/projects/-/databases").status == 200)
        }
    }

    @Test("The console refuses a disguised name, also in an export by the token that only reads")
    func console() async throws {
        try await withOwnDocument { gateway async throws in
            for token in [Self.readToken, gateway.gateway.adminToken.value] {
                let user = try await ConsoleUser(gateway, token: token)
                for name in ["pushgate%00%2F(default)", "pushgate%2F(default)%00"] {
                    for page in ["/console/documents", "/console/documents/export"] {
                        let answer = try await user.get("\(page)?database=\(name)&path=notes")
                        #expect(answer.status == 400 && !answer.text.contains("whole"))
                    }
                }
                let own = try await user.get("/console/documents/export?database=pushgate%2F(default)&path=notes")
                #expect(own.status == 200 && own.text.contains("token#") && !own.text.contains("whole"))
            }
        }
    }
}
