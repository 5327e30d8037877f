import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// The app that makes tasks.
struct AskingApp: Sendable {
    let gateway: RunningGateway
    let token: String
    let key: String

    init(_ gateway: RunningGateway) async throws {
        self.gateway = gateway
        token = .randomToken()
        let made = try await gateway.caller.send(
            .post, "/api/devices/register", body: Array(#"{"name":"Matt's iPhone"}"#.utf8))
        key = try #require(made.body["mcp_token"]?.string)
        let id = try #require(made.body["id"]?.string)
        let stored = try await call(.post, "/api/devices/\(id)/apns-token", ["token": .string(token)])
        try #require(stored.status == 200)
    }

    func call(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        try await gateway.caller.send(
            method, path, headerFields: [.authorization: "Bearer \(key)"], body: body?.serialized ?? [])
    }

    /// Makes a task, and returns its id and its link.
    func ask(_ more: JSONObject) async throws -> (id: String, url: String) {
        var body: JSONObject = ["recipient_name": "Sarah", "sender_name": "Matt", "agent_name": "Claude"]
        for (name, value) in more.members { body[name] = value }
        let answer = try await call(.post, "/api/hits", .object(body))
        return (try #require(answer.body["id"]?.string), try #require(answer.body["url"]?.string))
    }

    func responses(_ id: String) async throws -> [JSONValue] {
        try await call(.get, "/api/hits/\(id)/responses").body["responses"]?.array ?? []
    }

    /// Returns the task's status in the app's list, which a look at the list does not change.
    func status(_ id: String) async throws -> JSONValue? {
        let list = try await call(.get, "/api/hits").body["hits"]?.array ?? []
        return list.first { $0["id"] == .string(id) }?["status"]
    }
}

/// Runs a gateway with an app that makes tasks, and a browser for the recipient.
func withAskingApp(
    _ screen: Browser.Screen, _ body: (AskingApp, Browser, RunningSimulator) async throws -> Void
) async throws {
    try await withSimulator { apns in
        try await withGateway(["functions.humantasks.enabled": "true"], simulator: apns) { gateway in
            let app = try await AskingApp(gateway)
            try await Browser.running(screen) { try await body(app, $0, apns) }
        }
    }
}
