import DocumentStore
import FCMInterface
import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import Gateway

@Suite("Firestore's interface of a running gateway", .timeLimit(.minutes(10)))
struct FirestoreRouteTests {
    private static let root = "/v1/projects/demo-app/databases/(default)/documents"
    private static let own = "/v1/projects/pushgate/databases/(default)/documents"
    private static let document: JSONValue = ["fields": ["name": ["stringValue": "Ada"]]]

    private func create(
        _ gateway: RunningGateway, _ fields: [String: String] = [:], at path: String = "\(root)/users?documentId=ada"
    ) async throws -> Answer {
        var headerFields: HTTPFields = [.contentType: "text/plain"]
        for (name, value) in fields { headerFields[try #require(HTTPField.Name(name))] = value }
        return try await gateway.caller.send(
            .post, path, headerFields: headerFields, body: Self.document.serialized)
    }

    @Test("A document is created, read, and gone after the database was emptied")
    func life() async throws {
        try await withGateway { gateway async throws in
            #expect(try await create(gateway).status == 200)
            let read = try await gateway.caller.send(.get, "\(Self.root)/users/ada")
            #expect(read.status == 200 && read.body["fields"] == Self.document["fields"])
            #expect(read.headerFields[.contentType]?.hasPrefix("application/json") == true)
            let clear = try await gateway.caller.send(
                .delete, "/emulator/v1/projects/demo-app/databases/(default)/documents")
            #expect(clear.status == 200 && clear.body == [:])
            #expect(try await gateway.caller.send(.get, "\(Self.root)/users/ada").status == 404)
        }
    }

    @Test("The list of databases is for those who have access to one, and the body of a request to read is not read")
    func databases() async throws {
        try await withGateway { gateway async throws in
            #expect(try await create(gateway).status == 200)
            let path = "/v1/projects/demo-app/databases"
            let page: HTTPFields = [.origin: "https://evil.example"]
            #expect(try await gateway.caller.send(.get, path, headerFields: page).status == 403)
            let list = try await gateway.caller.send(.get, path, body: Array("no JSON".utf8))
            #expect(list.status == 200)
            #expect(list.body["databases"]?.array?.count == 1)
        }
    }

    @Test("A misspelt parameter is refused over HTTP/1.1 and HTTP/2, and the document keeps its fields")
    func misspelt() async throws {
        try await withGateway { gateway async throws in
            let path = "\(Self.root)/users/ada"
            let fields: JSONValue = ["a": ["integerValue": "1"], "b": ["integerValue": "2"]]
            let body: JSONValue = ["fields": fields]
            #expect(try await gateway.caller.send(.patch, path, body: body.serialized).status == 200)
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            let change = Array(#"{"fields":{"a":{"integerValue":"9"}}}"#.utf8)
            for (method, query) in [
                ("PATCH", "updateMask.fieldPath=a"), ("PATCH", "updateMask=a"), ("PATCH", "currentDocument.exist=true"),
                ("DELETE", "currentDocument.exist=false"), ("DELETE", "currentDocument=false"),
            ] {
                let content = method == "PATCH" ? change : []
                let answer = try await gateway.caller.send(
                    try #require(HTTPRequest.Method(method)), "\(path)?\(query)", body: content)
                #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT", "\(query)")
                #expect(try await client.send(method, "\(path)?\(query)", content).httpStatus == "400", "\(query)")
            }
            // The right name is taken over both.
            let mask = "\(path)?updateMask.fieldPaths=a"
            #expect(try await client.send("PATCH", mask, change).httpStatus == "200")
            let read = try await gateway.caller.send(.get, path)
            #expect(read.body["fields"] == ["a": ["integerValue": "9"], "b": ["integerValue": "2"]])
            try await client.close()
        }
    }

    @Test("Documents are there after a restart")
    func restart() async throws {
        try await withDataDirectory { directory in
            try await withGateway(in: directory) { gateway async throws in
                #expect(try await create(gateway).status == 200)
            }
            // A process holds its data directory as long as it lives, so the second gateway gets a copy.
            let restored = directory + "-restored"
            try FileManager.default.copyItem(atPath: directory, toPath: restored)
            try await withGateway(in: restored) { gateway async throws in
                #expect(try await gateway.caller.send(.get, "\(Self.root)/users/ada").status == 200)
            }
        }
    }

    @Test("The gateway's own database is closed to clients of Firestore, and open to the admin token")
    func ownDatabase() async throws {
        try await withGateway { gateway async throws in
            let refused = try await create(
                gateway, ["Authorization": "Bearer owner"], at: "\(Self.own)/users?documentId=ada")
            #expect(refused.status == 403)
            #expect(refused.body["error"]?["message"]?.string?.contains("GOOGLE_CLOUD_PROJECT") == true)
            #expect(try await gateway.caller.send(.get, "\(Self.own)/users/ada").status == 403)
            let emptied = try await gateway.ask(
                "/emulator/v1/projects/pushgate/databases/(default)/documents", .delete)
            #expect(emptied.status == 403)
            #expect(try await gateway.ask("\(Self.own)/users").status == 200)
            #expect(try await gateway.gateway.store.collectionIDs(below: nil).contains("users") == false)
        }
    }

    @Test("A page of another site cannot write, and a page on this machine can, and reads the answer")
    func pages() async throws {
        try await withGateway { gateway async throws in
            let foreign = try await create(gateway, ["Origin": "https://evil.example"])
            #expect(foreign.status == 403 && foreign.headerFields[.accessControlAllowOrigin] == nil)
            #expect(try await gateway.caller.send(.get, "\(Self.root)/users/ada").status == 404)
            let local = try await create(gateway, ["Origin": "http://localhost:3000"])
            #expect(local.status == 200)
            #expect(local.headerFields[.accessControlAllowOrigin] == "http://localhost:3000")
        }
    }

    @Test("A preflight request is answered for allowed origins only")
    func preflight() async throws {
        try await withGateway { gateway async throws in
            for (origin, status) in [("http://localhost:3000", 204), ("https://evil.example", 403)] {
                let answer = try await gateway.caller.send(
                    .options, "\(Self.root)/users/ada",
                    headerFields: [
                        .origin: origin, .accessControlRequestMethod: "PATCH",
                        .accessControlRequestHeaders: "authorization",
                    ])
                #expect(answer.status == status)
                let isAllowed = status == 204
                #expect(answer.headerFields[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
                #expect(answer.headerFields[.accessControlAllowHeaders] == (isAllowed ? "authorization" : nil))
            }
        }
    }

    @Test("A request over 10 MiB is answered INVALID_ARGUMENT, which clients do not repeat")
    func tooLarge() async throws {
        try await withGateway { gateway async throws in
            let answer = try await gateway.caller.send(
                .post, "\(Self.root):commit", body: [UInt8](repeating: 0x20, count: FirestoreRoute.maximumBytes + 1))
            #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
    }

    @Test("With credentials for a push service, the interface is served only if it is configured")
    func production() async throws {
        try await withSimulator { simulator in
            try await withGateway(simulator: simulator) { gateway async throws in
                let refused = try await create(gateway)
                #expect(refused.status == 403 && refused.text.contains("firestore.enabled"))
            }
            try await withGateway(["firestore.enabled": "true"], simulator: simulator) { gateway async throws in
                #expect(try await create(gateway).status == 200)
            }
        }
    }

    @Test("An account that was made for Firestore gets a token with access, in emulator mode too")
    func account() async throws {
        try await withGateway { gateway async throws in
            for (scopes, token) in [([.firestore], nil), ([.messaging], "owner")] as [(Set<AccessScope>, String?)] {
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url, scopes: scopes)
                let assertion = try account.assertion(["scope": "https://www.googleapis.com/auth/datastore"])
                let answer = try await gateway.caller.send(
                    .post, "/token", headerFields: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array(
                        "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(assertion)".utf8))
                let granted = try #require(answer.body["access_token"]?.string)
                #expect((granted == "owner") == (token == "owner"))
                guard token == nil else { continue }
                // A proxy's field makes the request one from elsewhere.
                let fields = ["Authorization": "Bearer \(granted)", "X-Forwarded-For": "192.0.2.1"]
                #expect(try await create(gateway, fields).status == 200)
                #expect(try await create(gateway, ["X-Forwarded-For": "192.0.2.1"]).status == 403)
            }
        }
    }
}
