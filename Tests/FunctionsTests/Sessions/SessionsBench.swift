import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles

typealias SessionsBench = SystemBench<Sessions>

extension SessionsBench {
    static let masterKey = "master-0123456789abcdef"
    static let readKey = "claud_" + String(repeating: "a", count: 32)
    static let writeKey = "claud_" + String(repeating: "b", count: 32)
    static let bothKey = "claud_" + String(repeating: "c", count: 32)

    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(),
        _ transport: ScriptedTransport = ScriptedTransport(), forms: TokenForms = .withEnvironments,
        configure: (inout SessionsSettings) -> Void = { _ in }
    ) throws {
        var settings = SessionsSettings(masterKey: Self.masterKey)
        settings.readKeys = [Self.readKey, Self.bothKey]
        settings.writeKeys = [Self.writeKey, Self.bothKey]
        configure(&settings)
        try self.init(on: disk, clock: clock, transport, headers: Self.authorization(Self.masterKey)) {
            var services = $0
            services.host.forms = forms
            return try Sessions(settings: settings, services: services)
        }
    }

    static func authorization(_ key: String) -> HTTPFields { [.authorization: "Bearer \(key)"] }

    func register(_ token: String = "token-1", _ more: JSONObject = [:]) async throws -> FunctionResponse {
        var body: JSONObject = ["platform": "ios", "push_token": .string(token)]
        for (name, value) in more.members { body[name] = value }
        return try await call(.post, "/api/v1/push/register", .object(body))
    }

    /// Reports a valid event, as a hook's program does.
    func report(
        _ name: String, _ more: JSONObject = [:], session: String = "session-1", device: String = "device-1"
    ) async throws -> FunctionResponse {
        var event: JSONObject = ["session_id": .string(session), "hook_event_name": .string(name)]
        for (name, value) in more.members { event[name] = value }
        return try await call(
            .post, "/api/v1/events",
            [
                "device": [
                    "device_id": .string(device), "device_name": "shahads-macbook", "platform": "darwin",
                ],
                "event": .object(event), "timestamp": "2026-01-01T00:00:00Z",
            ])
    }

    func list(_ path: String, _ query: [String: String] = [:]) async throws -> [JSONValue] {
        let answer = try await call(.get, "/api/v1/\(path)", query: query)
        return path.split(separator: "/").last.flatMap { answer.body[String($0)]?.array } ?? []
    }

    func notifications(_ query: [String: String] = [:]) async throws -> [JSONValue] {
        try await list("notifications", query)
    }

    func clean() async throws {
        for job in system.jobs { try await job.run() }
    }

    static func error(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> FunctionResponse {
        FunctionResponse(
            status: status, headerFields: status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:],
            body: ["error": .string(code), "message": .string(message)])
    }

    static func badRequest(_ message: String) -> FunctionResponse {
        error(.unprocessableContent, "bad_request", message)
    }
}

extension FunctionResponse {
    static let statusOK = FunctionResponse(body: ["status": "ok"])
}

extension HTTPFields {
    init(named fields: KeyValuePairs<String, String>) {
        self.init(fields.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } })
    }
}
