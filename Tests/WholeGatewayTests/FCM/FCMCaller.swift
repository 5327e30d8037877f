import Gateway
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

extension RunningGateway {
    /// Sends a request as an FCM SDK does, with the access token of the emulator by default.
    func fcm(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, bearer: String? = "owner"
    ) async throws -> Answer {
        var headerFields: HTTPFields = [.contentType: "application/json"]
        headerFields[.authorization] = bearer.map { "Bearer \($0)" }
        return try await caller.send(method, path, headerFields: headerFields, body: body?.serialized ?? [])
    }

    func sendMessage(_ message: JSONValue, isDryRun: Bool = false, bearer: String? = "owner") async throws -> Answer {
        var body: JSONObject = ["message": message]
        if isDryRun { body["validate_only"] = true }
        return try await fcm(.post, "/v1/projects/pushgate/messages:send", .object(body), bearer: bearer)
    }

    /// Returns the registration token for an APNs device token.
    func register(_ device: String, bearer: String? = "owner") async throws -> String {
        let body: JSONValue = [
            "application": .string(RunningSimulator.bundleID), "sandbox": true, "apns_tokens": [.string(device)],
        ]
        let answer = try await fcm(.post, "/iid/v1:batchImport", body, bearer: bearer)
        return try #require(answer.body["results"]?[0]?["registration_token"]?.string)
    }

    /// Adds a script to the emulated push service.
    func script(_ script: JSONValue) async throws -> Answer {
        try await caller.send(
            .post, "/emulator/v1/scripts",
            headerFields: [
                .authorization: "Bearer \(gateway.adminToken.value)", .contentType: "application/json",
            ], body: script.serialized)
    }

    // MARK: Credentials

    /// Makes a service account, and requests an access token with it.
    func askForAccessToken(claims: [String: JSONValue] = [:]) async throws -> Answer {
        let account = try await ServiceAccount(in: directory, url: url)
        return try await caller.askForAccessToken(with: try account.assertion(claims))
    }

    /// Returns an access token of a new service account.
    func accessToken() async throws -> String {
        try #require(try await askForAccessToken().body["access_token"]?.string)
    }
}

extension Answer {
    /// FCM's error code, such as `UNREGISTERED`.
    var errorCode: String? {
        body["error"]?["details"]?.array?.compactMap { $0["errorCode"]?.string }.first
    }
}
