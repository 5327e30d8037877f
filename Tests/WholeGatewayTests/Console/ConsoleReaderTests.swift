import Cryptography
import DocumentStore
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Limits of the console's users", .timeLimit(.minutes(10)))
struct ConsoleReaderTests {
    private static let readToken = "reads-only-0123456789"
    private static let settings = ["admin.readToken": readToken, "functions.humantasks.enabled": "true"]

    /// A device of human tasks, and a task that it made and that was answered.
    private struct Ids {
        let device: String
        let task: String
    }

    private func makeTask(_ gateway: RunningGateway) async throws -> Ids {
        func post(
            _ path: String, _ body: JSONValue, _ headers: HTTPFields = [:], _ method: HTTPRequest.Method = .post
        ) async throws -> JSONValue {
            let answer = try await gateway.caller.send(method, path, headerFields: headers, body: body.serialized)
            try #require(answer.status < 300, "\(path): \(answer.text)")
            return answer.body
        }
        let device = try await post("/api/devices/register", ["name": "Phone"])
        let id = try #require(device["id"]?.string)
        let key: HTTPFields = [.authorization: "Bearer \(device["mcp_token"]?.string ?? "")"]
        _ = try await post("/api/devices/\(id)/apns-token", ["token": "emulated:phone"], key)
        let created = try await post(
            "/api/hits", ["recipient_name": "Sarah", "task_description": "The room", "hit_type": "photo"], key)
        let task = try #require(created["id"]?.string)
        _ = try await gateway.caller.send(.get, "/api/hits/\(task)")
        _ = try await post("/api/hits/\(task)/complete", [:], [:], .patch)
        return Ids(device: id, task: task)
    }

    @Test("The token that reads only sees no id with which it could act for a device or answer a task")
    func secretIds() async throws {
        try await withGateway(Self.settings) { gateway in
            let ids = try await makeTask(gateway)
            let (reader, admin) = (
                try await ConsoleUser(gateway, token: Self.readToken), try await ConsoleUser(gateway)
            )
            func messages() async throws -> [JSONValue] {
                try await gateway.ask("/v1/deliveries").body["deliveries"]?.array ?? []
            }
            try await eventually("the notification is sent") { try await !messages().isEmpty }
            let message = try #require(try await messages().first?["id"]?.string)
            // The operator's repetition is a message of another source, with the same content.
            let again = try await admin.post("/console/messages/\(message)/again?page=0", [:])
            let repeated = try #require(again.headerFields[.location])
            let collections = ["humanTaskDevices", "humanTaskTokens", "humanTaskPresence", "humanTasks", "messages"]
            let pages =
                [
                    "/", "/console/messages", "/console/messages/\(message)", "/console/messages/\(message)?page=1",
                    repeated, repeated + "?page=1", "/console/inbox", "/console/devices", "/console/documents",
                    "/console/documents?path=messages/\(message)",
                ]
                + collections.flatMap {
                    [
                        "/console/documents?path=\($0)", "/console/documents?path=/\($0)",
                        "/console/documents?database=pushgate/(default)&path=\($0)",
                        "/console/documents/export?path=\($0)",
                    ]
                }
                + [
                    "/console/documents?path=humanTaskDevices/\(ids.device)",
                    "/console/documents?path=humanTasks/\(ids.task)", "/console/documents?path=broadcasts",
                ]
            for page in pages {
                let text = try await reader.get(page).text
                // A page repeats the path that its reader asked for.
                if !page.contains(ids.device) { #expect(!text.contains(ids.device), "\(page)") }
                if !page.contains(ids.task) { #expect(!text.contains(ids.task), "\(page)") }
            }
            for collection in collections {
                #expect(try await reader.get("/console/documents?path=\(collection)").status == 403)
                #expect(try await reader.get("/console/documents/export?path=\(collection)").status == 403)
            }
            let tokens = try await gateway.gateway.store.documents(
                matching: .collection(try CollectionPath("humanTaskTokens")))
            let device = try #require(tokens.first).path
            #expect(try await reader.get("/console/devices/device?path=\(device)").status == 403)
            #expect(try await admin.get("/console/devices/device?path=\(device)").status == 200)
            #expect(try await admin.get("/console/documents?path=humanTaskDevices").text.contains(ids.device))
            #expect(try await admin.get("/console/messages/\(message)").text.contains(ids.task))
            #expect(try await admin.get("/console/inbox").text.contains(ids.task))
        }
    }

    @Test("The stream of changes ends with its session, and a user who is signed out gets none")
    func signedOutStream() async throws {
        try await withGateway { gateway in
            let (user, other) = (try await ConsoleUser(gateway), try await ConsoleUser(gateway))
            func open(_ user: ConsoleUser) async throws -> TLSConnection {
                let stream = try await TLSConnection.openPlain(port: Int(gateway.port))
                let head = "GET /console/changes HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(user.cookie)\r\n\r\n"
                try await stream.send(Array(head.utf8))
                _ = try await stream.receive { $0.count > 100 ? true : nil }
                return stream
            }
            let (stream, unaffected) = (try await open(user), try await open(other))
            #expect(try await user.post("/console/sign-out", [:]).status == 303)
            // The last chunk of a body (RFC 9112 §7.1).
            let end = Array("\r\n0\r\n\r\n".utf8)
            _ = try await stream.receive { $0.suffix(end.count).elementsEqual(end) ? true : nil }
            #expect(try await unaffected.receive { !$0.suffix(end.count).elementsEqual(end) })
            #expect(try await user.get("/console/changes").status == 401)
            try await stream.close()
            try await unaffected.close()
        }
    }
}
