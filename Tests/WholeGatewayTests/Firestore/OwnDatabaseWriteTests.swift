import DocumentStore
import Gateway
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

@Suite("Writes to the gateway's own database", .timeLimit(.minutes(10)))
struct OwnDatabaseWriteTests {
    private static let root = "/v1/projects/pushgate/databases/(default)/documents"

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, to gateway: RunningGateway
    ) async throws -> (status: Int, body: JSONValue) {
        let answer = try await gateway.caller.send(
            method, Self.root + path,
            headerFields: [.authorization: "Bearer \(gateway.gateway.adminToken.value)"],
            body: body?.serialized ?? [])
        return (answer.status, answer.body)
    }

    private func fields(_ path: String, in gateway: RunningGateway) async throws -> Fields? {
        try await gateway.gateway.store.document(at: try DocumentPath(path))?.fields
    }

    @Test("A document is created once under its id, and the second attempt answers 409")
    func create() async throws {
        try await withGateway { gateway async throws in
            let document: JSONValue = ["fields": ["n": ["integerValue": "1"]]]
            let created = try await send(.post, "/notes?documentId=a", document, to: gateway)
            #expect(created.status == 200)
            #expect(created.body["name"] == "projects/pushgate/databases/(default)/documents/notes/a")
            #expect(created.body["fields"] == ["n": ["integerValue": "1"]])
            #expect(try await send(.post, "/notes?documentId=a", document, to: gateway).status == 409)
            #expect(try await fields("notes/a", in: gateway) == ["n": .integer(1)])
            let made = try await send(.post, "/notes", document, to: gateway)
            #expect(made.body["name"]?.string?.split(separator: "/").last?.count == 20)
        }
    }

    @Test("PATCH replaces a document, and with a mask sets and deletes only the named fields")
    func patch() async throws {
        try await withGateway { gateway async throws in
            let first: JSONValue = ["fields": ["a": ["integerValue": "1"], "b": ["integerValue": "2"]]]
            #expect(try await send(.patch, "/notes/x", first, to: gateway).status == 200)
            let change: JSONValue = ["fields": ["a": ["integerValue": "9"], "c": ["integerValue": "3"]]]
            let mask = "?updateMask.fieldPaths=b&updateMask.fieldPaths=c"
            #expect(try await send(.patch, "/notes/x" + mask, change, to: gateway).status == 200)
            #expect(try await fields("notes/x", in: gateway) == ["a": .integer(1), "c": .integer(3)])
            #expect(try await send(.patch, "/notes/x", change, to: gateway).status == 200)
            #expect(try await fields("notes/x", in: gateway) == ["a": .integer(9), "c": .integer(3)])
        }
    }

    @Test("A write takes effect only while the update time is the one that was read")
    func updateTime() async throws {
        try await withGateway { gateway async throws in
            let document: JSONValue = ["fields": ["n": ["integerValue": "1"]]]
            let read = try await send(.patch, "/notes/a", document, to: gateway).body["updateTime"]?.string
            let condition = "?currentDocument.updateTime=\(try #require(read))"
            let next: JSONValue = ["fields": ["n": ["integerValue": "2"]]]
            #expect(try await send(.patch, "/notes/a" + condition, next, to: gateway).status == 200)
            let late = try await send(.patch, "/notes/a" + condition, document, to: gateway)
            #expect(late.status == 400)
            #expect(late.body["error"]?["status"] == "FAILED_PRECONDITION")
            #expect(try await send(.delete, "/notes/a" + condition, to: gateway).status == 400)
            #expect(try await fields("notes/a", in: gateway) == ["n": .integer(2)])
            #expect(try await send(.delete, "/notes/a", to: gateway).status == 200)
            #expect(try await fields("notes/a", in: gateway) == nil)
            #expect(try await send(.delete, "/notes/a?currentDocument.exists=true", to: gateway).status == 404)
        }
    }

    @Test("A document with a fingerprint in place of a device token is refused, and the stored token stays")
    func redaction() async throws {
        try await withGateway { gateway async throws in
            let token = String.randomToken()
            let stored: Fields = [
                "fcmToken": .string(token), "list": .array([.map(["token": .string(token)])]), "n": .integer(1),
            ]
            _ = try await gateway.gateway.store.commit([.set(try DocumentPath("notes/a"), stored)])
            let shown = try await send(.get, "/notes/a", to: gateway).body
            let refused = try await send(.patch, "/notes/a", shown, to: gateway)
            #expect(refused.status == 400)
            #expect(refused.body["error"]?["message"]?.string?.contains("fingerprint") == true)
            #expect(
                try await send(.post, "/notes?documentId=b", ["fields": shown["fields"] ?? [:]], to: gateway).status
                    == 400)
            #expect(try await fields("notes/a", in: gateway) == stored)
            let change: JSONValue = ["fields": ["n": ["integerValue": "2"]]]
            #expect(try await send(.patch, "/notes/a?updateMask.fieldPaths=n", change, to: gateway).status == 200)
            #expect(try await fields("notes/a", in: gateway)?["fcmToken"] == .string(token))
        }
    }

    @Test("A fingerprint is refused in a field of any name, in a commit, and as the operand of a transform")
    func anyField() async throws {
        try await withGateway { gateway async throws in
            let fingerprint: JSONValue = ["stringValue": "token#0123abcd"]
            let name: JSONValue = "projects/pushgate/databases/(default)/documents/notes/a"
            let update: JSONValue = ["update": ["name": name, "fields": ["device": fingerprint]]]
            let union: JSONValue = ["fieldPath": "list", "appendMissingElements": ["values": [fingerprint]]]
            let transform: JSONValue = ["transform": ["document": name, "fieldTransforms": [union]]]
            let hidden: JSONValue = [
                "update": ["name": name, "fields": ["list": ["arrayValue": ["values": [fingerprint]]]]],
                "updateTransforms": [
                    ["fieldPath": "list", "appendMissingElements": ["values": [["stringValue": "x"]]]]
                ],
            ]
            for write in [update, transform, hidden] {
                #expect(try await send(.post, ":commit", ["writes": [write]], to: gateway).status == 400)
                #expect(try await send(.post, ":batchWrite", ["writes": [write]], to: gateway).status == 400)
            }
            #expect(try await fields("notes/a", in: gateway) == nil)
            let text: JSONValue = ["fields": ["note": ["stringValue": "token#1 is the best"]]]
            #expect(try await send(.patch, "/notes/a", text, to: gateway).status == 200)
        }
    }

    @Test("A message with the fingerprint of a Live Activity token is refused")
    func messageRedaction() async throws {
        try await withGateway { gateway async throws in
            let message: JSONValue = ["apns": ["liveActivityToken": "token#0123abcd"]]
            let document: JSONValue = ["fields": ["message": ["stringValue": .string(message.text)]]]
            #expect(try await send(.patch, "/messages/a", document, to: gateway).status == 400)
            #expect(try await fields("messages/a", in: gateway) == nil)
        }
    }

    @Test(
        "A body that is not a document answers 400",
        arguments: [["n": 1], ["fields": ["n": 1]], ["fields": [1]]] as [JSONValue])
    func invalid(body: JSONValue) async throws {
        try await withGateway { gateway async throws in
            #expect(try await send(.patch, "/notes/a", body, to: gateway).status == 400)
            #expect(try await fields("notes/a", in: gateway) == nil)
        }
    }

    @Test("A write with another token answers 401, one with an emulator's 403, and neither changes anything")
    func authentication() async throws {
        try await withGateway { gateway async throws in
            let body: JSONValue = ["fields": [:]]
            for (method, path) in [(HTTPRequest.Method.patch, "/notes/a"), (.post, "/notes?documentId=a")] {
                for (token, status) in [("wrong", 401), ("owner", 403)] {
                    let answer = try await gateway.caller.send(
                        method, Self.root + path, headerFields: [.authorization: "Bearer \(token)"],
                        body: body.serialized)
                    #expect(answer.status == status)
                }
            }
            #expect(try await fields("notes/a", in: gateway) == nil)
        }
    }
}
