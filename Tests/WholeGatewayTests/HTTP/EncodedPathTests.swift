import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Percent-encoded paths", .timeLimit(.minutes(10)))
struct EncodedPathTests {
    @Test(
        "A percent-encoded path leads to the same document as the decoded path",
        arguments: [
            "/v1/projects/pushgate/databases/%28default%29/documents/notes/a",
            "/v1/projects/push%67ate/databases/%28default%29/documents/note%73/a",
            "/%761/projects/pushgate/databases/(default%29/documents/notes/%61",
        ])
    func documents(path: String) async throws {
        try await withGateway { gateway in
            _ = try await gateway.gateway.store.commit([.set(try DocumentPath("notes/a"), ["n": .integer(1)])])
            #expect(try await gateway.ask(path).body["fields"] == ["n": ["integerValue": "1"]])
        }
    }

    @Test("Percent-encoded paths lead to methods and functions")
    func methods() async throws {
        try await withGateway { gateway in
            let sent = try await gateway.fcm(
                .post, "/v1/projects/push%67ate/messages%3Asend", ["message": ["token": "a"]])
            #expect(sent.status == 200 && sent.body["name"]?.string?.hasPrefix("projects/pushgate/messages/") == true)
            let batch = try await gateway.fcm(
                .post, "/iid/v1%3abatchAdd", ["to": "/topics/a", "registration_tokens": ["a"]])
            #expect(batch.status == 200)
            let collections = "/v1/projects/pushgate/databases/%28default%29/%64ocuments:listCollectionIds"
            #expect(try await gateway.ask(collections, .post).status == 200)
            #expect(try await gateway.caller.send(.get, "/trigger%52eplyFinished").code == "method_not_allowed")
        }
    }

    @Test("An encoded slash separates no path segments, and a path is decoded once")
    func slashes() async throws {
        try await withGateway { gateway in
            let root = "/v1/projects/pushgate/databases/(default)/documents"
            let store = gateway.gateway.store
            _ = try await store.commit([
                .set(try DocumentPath("a/b/c/d"), [:]), .set(try DocumentPath("notes/%28"), ["n": .integer(1)]),
            ])
            for path in ["/a%2Fb%2Fc", "/a%2fb", "/a%2Fb/c/d", "/a/b%2Fc%2Fd"] {
                #expect(try await gateway.ask(root + path).status == 400, "\(path)")
            }
            #expect(try await gateway.ask("/v1%2Fdeliveries").status == 404)
            #expect(try await gateway.ask(root + "/notes/%2528").body["fields"] == ["n": ["integerValue": "1"]])
        }
    }
}
