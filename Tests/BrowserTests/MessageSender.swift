import HTTPTypes
import JSON
import TestSupport
import Testing

/// An application's server, which sends by FCM's interface with an access token.
struct MessageSender: Sendable {
    private let caller: Caller
    private let accessToken: String

    init(_ gateway: RunningGateway) async throws {
        let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
        let answer = try await gateway.caller.askForAccessToken(with: try account.assertion())
        caller = gateway.caller
        accessToken = try #require(answer.body["access_token"]?.string)
    }

    private func post(_ path: String, _ body: JSONValue) async throws -> Answer {
        let headerFields: HTTPFields = [.authorization: "Bearer \(accessToken)", .contentType: "application/json"]
        return try await caller.send(.post, path, headerFields: headerFields, body: body.serialized)
    }

    /// Registers a browser's subscription, and returns the registration token.
    func register(_ subscription: JSONValue) async throws -> String {
        let answer = try await post("/webpush/v1/registrations", ["web_push": subscription])
        return try #require(answer.body["registration_token"]?.string, "\(answer.text)")
    }

    func add(_ token: String, to topic: String) async throws {
        let body: JSONValue = ["to": .string("/topics/" + topic), "registration_tokens": [.string(token)]]
        let answer = try await post("/iid/v1:batchAdd", body)
        #expect(answer.body["results"] == [[:]], "\(answer.text)")
    }

    /// Sends a notification.
    ///
    /// - Parameter recipient: The member of the message that names it.
    func send(_ title: String, _ body: String, to recipient: JSONObject) async throws -> Answer {
        var message = recipient
        message["notification"] = ["title": .string(title), "body": .string(body)]
        return try await post("/v1/projects/pushgate/messages:send", ["message": .object(message)])
    }
}
