import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Function endpoints", .timeLimit(.minutes(10)))
struct FunctionEndpointTests {
    private static let names = [
        "registerSubscription", "unregisterSubscription", "triggerReplyFinished", "updateReply",
    ]

    @Test(
        "A function answers at every URL shape that its clients use", arguments: names,
        ["/", "/push/", "/demo/us-central1/", "/my-project/europe-west1/"])
    func shapes(name: String, prefix: String) async throws {
        try await withGateway { gateway in
            let body: [UInt8] = Array(#"{"cwd":"/srv","installation_id":"phone","fcm_token":"emulated:1"}"#.utf8)
            let answer = try await gateway.caller.send(
                .post, prefix + name,
                headerFields: [
                    .authorization: "Bearer \(String.randomSecret())", .contentType: "application/json; charset=utf-8",
                ], body: body)
            #expect(answer.status == 200)
            #expect(answer.body["ok"] == true)
        }
    }

    @Test(
        "A function refuses every method but POST with 405, and sends no CORS header",
        arguments: ["GET", "HEAD", "OPTIONS", "PUT", "PROPFIND"])
    func otherMethods(method: String) async throws {
        try await withGateway { gateway in
            for name in Self.names {
                let answer = try await gateway.caller.send(try #require(.init(method)), "/demo/us-central1/" + name)
                #expect(answer.status == 405)
                #expect(answer.headerFields[.allow] == "POST")
                #expect(answer.code == (method == "HEAD" ? nil : "method_not_allowed"))
                #expect(!answer.headerFields.contains { $0.name.canonicalName.hasPrefix("access-control") })
            }
        }
    }

    @Test(
        "A path below a function answers 404 in the form of the function's errors", arguments: names,
        ["/", "/push/", "/demo/us-central1/"])
    func belowFunctions(name: String, prefix: String) async throws {
        try await withGateway { gateway in
            for method in [HTTPRequest.Method.post, .get] {
                let answer = try await gateway.caller.send(method, prefix + name + "/more/and/more")
                #expect(answer.status == 404)
                #expect(answer.code == "not_found")
            }
        }
    }

    @Test(
        "An unknown path below a system's prefix is answered in the form of the system's errors",
        arguments: [
            (
                ["sessions.enabled": "true", "sessions.masterKey": "0123456789abcdef"], "/api/v1/unknown", 401,
                "unauthorized"
            ),
            (["humantasks.enabled": "true"], "/api/unknown", 404, "Not Found"),
        ] as [([String: String], String, Int, JSONValue)])
    func unknownPaths(settings: [String: String], path: String, status: Int, error: JSONValue) async throws {
        let settings = settings.map { ("functions.\($0.key)", $0.value) }
        try await withGateway(Dictionary(uniqueKeysWithValues: settings)) { gateway in
            let answer = try await gateway.caller.send(.get, path)
            #expect(answer.status == status)
            #expect(answer.body["error"] == error)
            let other = try await gateway.caller.send(.get, "/elsewhere")
            #expect(other.body["error"]?["status"] == "NOT_FOUND")
        }
    }
}
