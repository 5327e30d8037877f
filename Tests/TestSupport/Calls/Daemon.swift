import HTTPTypes
package import JSON

/// A coding agent's server and its devices: a secret, and requests made with it.
package struct Daemon: Sendable {
    /// The secret that all requests carry.
    package let secret: String
    private let caller: Caller

    /// Creates a daemon with a random secret unless one is given.
    package init(_ caller: Caller, secret: String = .randomSecret()) {
        self.caller = caller
        self.secret = secret
    }

    @discardableResult
    package func register(
        _ installation: String, token: String, cwd: String = "/srv/app", _ more: JSONObject = [:]
    ) async throws -> Answer {
        var body: JSONObject = [
            "cwd": .string(cwd), "installation_id": .string(installation), "fcm_token": .string(token),
        ]
        for member in more.members { body[member.name] = member.value }
        return try await caller.call("registerSubscription", .object(body), secret: secret)
    }

    @discardableResult
    package func unregister(_ installation: String, cwd: String? = nil) async throws -> Answer {
        var body: JSONObject = ["installation_id": .string(installation)]
        body["cwd"] = cwd.map(JSONValue.string)
        return try await caller.call("unregisterSubscription", .object(body), secret: secret)
    }

    /// - Parameters:
    ///   - isAsync: `true` to ask for an answer before delivery.
    ///   - seconds: the time to ask the answer to wait for retries.
    @discardableResult
    package func trigger(
        cwd: String = "/srv/app", preview: String? = nil, isAsync: Bool = false, waiting seconds: Int? = nil,
        _ more: JSONObject = [:]
    ) async throws -> Answer {
        var body: JSONObject = ["cwd": .string(cwd)]
        body["message_preview"] = preview.map(JSONValue.string)
        for member in more.members { body[member.name] = member.value }
        var headerFields: HTTPFields = [:]
        if let prefer = HTTPField.Name("Prefer") {
            headerFields[prefer] = isAsync ? "respond-async" : seconds.map { "wait=\($0)" }
        }
        return try await caller.call(
            "triggerReplyFinished", .object(body), secret: secret, headerFields: headerFields)
    }
}
