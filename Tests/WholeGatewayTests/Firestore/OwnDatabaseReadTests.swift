import Cryptography
import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Reads of the gateway's own database", .timeLimit(.minutes(10)))
struct OwnDatabaseReadTests {
    private static let root = "/v1/projects/pushgate/databases/(default)/documents"

    private func write(_ store: any DocumentStore, _ path: String, _ fields: Fields) async throws {
        _ = try await store.commit([.set(try DocumentPath(path), fields)])
    }

    @Test("A document is answered in Firestore's form")
    func document() async throws {
        try await withGateway { gateway in
            try await write(
                gateway.gateway.store, "notes/a b", ["n": .integer(1), "list": .array([.string("x"), .null])])
            let answer = try await gateway.ask("\(Self.root)/notes/a%20b")
            #expect(answer.status == 200)
            #expect(answer.headerFields[.contentType] == "application/json; charset=utf-8")
            #expect(answer.body["name"] == "projects/pushgate/databases/(default)/documents/notes/a b")
            #expect(
                answer.body["fields"] == [
                    "list": ["arrayValue": ["values": [["stringValue": "x"], ["nullValue": nil]]]],
                    "n": ["integerValue": "1"],
                ])
            #expect(answer.body["createTime"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test("A collection is answered in pages, with each document once and in order")
    func pages() async throws {
        try await withGateway { gateway in
            let ids = (0..<25).map { "id-\($0 < 10 ? "0" : "")\($0)" }
            for id in ids.shuffled() { try await write(gateway.gateway.store, "notes/\(id)", [:]) }
            try await write(gateway.gateway.store, "notes/id-03/below/x", [:])
            var (found, token, pages): ([String], String?, Int) = ([], "", 0)
            while let next = token {
                let answer = try await gateway.ask("\(Self.root)/notes?pageSize=10&pageToken=\(next)")
                let names = answer.body["documents"]?.array?.compactMap { $0["name"]?.string } ?? []
                found += names.compactMap { $0.split(separator: "/").last.map(String.init) }
                token = answer.body["nextPageToken"]?.string
                pages += 1
            }
            #expect(found == ids)
            #expect(pages == 3)
            #expect(try await gateway.ask("\(Self.root)/nothing").body == [:])
        }
    }

    @Test("The collections at the root and below a document are listed")
    func collectionIDs() async throws {
        try await withGateway { gateway in
            for path in ["b/1/x/1", "a/1", "b/1/y/1"] { try await write(gateway.gateway.store, path, [:]) }
            let atRoot = try await gateway.ask("\(Self.root):listCollectionIds", .post)
            #expect(atRoot.body["collectionIds"]?.array?.filter { $0 != "schedules" } == ["a", "b"])
            let below = try await gateway.ask("\(Self.root)/b/1:listCollectionIds", .post)
            #expect(below.body == ["collectionIds": ["x", "y"]])
            #expect(try await gateway.ask("\(Self.root)/a/1:listCollectionIds", .post).body == [:])
        }
    }

    @Test("A device token in a document is shown as its fingerprint")
    func redaction() async throws {
        try await withGateway { gateway in
            let token = String.randomToken()
            let fingerprint = "token#" + SHA256.hexadecimal(of: token).prefix(8)
            try await write(
                gateway.gateway.store, "notes/a",
                [
                    "fcmToken": .string(token),
                    "targets": .array([.map(["token": .string(token), "state": .string("x")])]),
                    "other": .string("kept"),
                ])
            for path in ["\(Self.root)/notes/a", "\(Self.root)/notes"] {
                let answer = try await gateway.ask(path)
                #expect(!answer.text.contains(token))
                #expect(answer.text.split(separator: fingerprint).count == 3)
                #expect(answer.text.contains("kept"))
            }
        }
    }

    @Test("A query of the gateway's own database is refused if it could find out a device token, and else answered")
    func comparisons() async throws {
        try await withGateway { gateway in
            try await write(
                gateway.gateway.store, "notes/a",
                ["token": .string("secret"), "n": .integer(1), "list": .array([.map(["token": .string("secret")])])])
            let from: JSONValue = [["collectionId": "notes"]]
            let field: JSONValue = ["fieldPath": "token"]
            func comparing(_ name: String, _ comparison: String, _ value: JSONValue) -> JSONValue {
                ["fieldFilter": ["field": ["fieldPath": .string(name)], "op": .string(comparison), "value": value]]
            }
            let filter = comparing("token", "GREATER_THAN", ["stringValue": "s"])
            let number: JSONValue = ["integerValue": "1"]
            let map: JSONValue = ["mapValue": ["fields": ["token": ["stringValue": "s"]]]]
            let queries: [(JSONValue, Int)] = [
                (["from": from], 200), (["from": from, "orderBy": [["field": ["fieldPath": "__name__"]]]], 200),
                (["from": from, "where": filter], 403), (["from": from, "orderBy": [["field": field]]], 403),
                (["from": from, "where": ["compositeFilter": ["op": "AND", "filters": [filter]]]], 403),
                (["from": from, "where": comparing("n", "EQUAL", number)], 200),
                (["from": from, "where": comparing("n", "GREATER_THAN", ["integerValue": "0"])], 200),
                (["from": from, "where": comparing("list", "ARRAY_CONTAINS", number)], 200),
                (["from": from, "where": comparing("list", "ARRAY_CONTAINS", map)], 403),
                (["from": from, "where": comparing("list", "GREATER_THAN", ["arrayValue": ["values": [map]]])], 403),
                (["from": from, "where": comparing("list", "NOT_EQUAL", number)], 403),
                (["from": from, "where": comparing("addressAttributes.auth", "EQUAL", ["stringValue": "s"])], 403),
                (["from": from, "where": comparing("message", "LESS_THAN", ["stringValue": "s"])], 403),
                (["from": from, "orderBy": [["field": ["fieldPath": "n"]]]], 403),
            ]
            for (query, status) in queries {
                let found = try await gateway.ask(Self.root + ":runQuery", .post, ["structuredQuery": query])
                #expect(found.status == status && !found.text.contains("secret"))
                let count: JSONValue = ["structuredQuery": query, "aggregations": [["count": [:]]]]
                let counted = try await gateway.ask(
                    Self.root + ":runAggregationQuery", .post, ["structuredAggregationQuery": count])
                #expect(counted.status == status)
            }
        }
    }

    @Test("A Live Activity token in a stored message is shown as its fingerprint, and the rest is unchanged")
    func messageRedaction() async throws {
        try await withGateway { gateway in
            let token = String.randomToken()
            let message: JSONValue = ["apns": ["liveActivityToken": .string(token)], "data": ["a": "kept"]]
            try await write(gateway.gateway.store, "messages/a", ["message": .string(message.text)])
            try await write(gateway.gateway.store, "notes/a", ["message": .string("{ no message }")])
            for path in ["\(Self.root)/messages/a", "\(Self.root)/messages"] {
                let answer = try await gateway.ask(path)
                #expect(!answer.text.contains(token) && answer.text.contains("kept"))
                #expect(answer.text.contains("token#" + SHA256.hexadecimal(of: token).prefix(8)))
            }
            #expect(try await gateway.ask("\(Self.root)/notes/a").text.contains("{ no message }"))
        }
    }

    @Test(
        "Without Firestore's interface, the admin token reads the gateway's own database and no other",
        arguments: [
            ("pushgate/databases/(default)", 404), ("pushgate/databases/other", 403), ("x/databases/(default)", 403),
        ])
    func interfaceOff(database: String, status: Int) async throws {
        try await withGateway(["firestore.enabled": "false"]) { gateway in
            let answer = try await gateway.ask("/v1/projects/\(database)/documents/notes/none")
            #expect(answer.status == status)
            #expect(answer.text.contains("firestore.enabled") == (status == 403))
        }
    }

    @Test(
        "An invalid document path or page size answers 400",
        arguments: ["/notes?pageSize=-1", "/notes?pageSize=ten", "/__x__", "/a/b/__c__"])
    func invalid(path: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(Self.root + path)
            #expect(answer.status == 400)
            #expect(answer.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
    }
}
