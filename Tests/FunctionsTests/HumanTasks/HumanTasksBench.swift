import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

typealias HumanTasksBench = SystemBench<HumanTasks>

extension HumanTasksBench {
    static let tokenKey = Array(repeating: UInt8(7), count: 32)

    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(),
        _ transport: ScriptedTransport = ScriptedTransport(), files: MemoryFiles = MemoryFiles(),
        tokenKey: [UInt8] = Self.tokenKey, gatewayURL: String? = nil,
        makeID: (@Sendable () -> String)? = nil, configure: (inout HumanTasksSettings) -> Void = { _ in }
    ) throws {
        var settings = HumanTasksSettings()
        settings.publicURL = "https://tasks.example.com"
        configure(&settings)
        try self.init(on: disk, clock: clock, transport) { services in
            var services = services
            services.host.files = { _ in files }
            services.host.secret = { _ in tokenKey }
            services.host.publicURL = gatewayURL
            guard let makeID else { return try HumanTasks(settings: settings, services: services) }
            return try HumanTasks(settings: settings, services: services, makeID: makeID)
        }
    }

    /// Registers a device with a device token.
    func makePhone(_ name: String = "Matt's iPhone", token: String? = "token-1") async throws -> Phone {
        let answer = try await call(.post, "/api/devices/register", ["name": .string(name)])
        let phone = Phone(
            id: try #require(answer.body["id"]?.string), key: try #require(answer.body["mcp_token"]?.string))
        if let token {
            let stored = try await call(
                .post, "/api/devices/\(phone.id)/apns-token", ["token": .string(token)], headers: phone.headers)
            try #require(stored.status == .ok)
        }
        return phone
    }

    /// Creates a task and returns its id.
    func ask(_ phone: Phone, _ more: JSONObject = [:]) async throws -> String {
        var body: JSONObject = [
            "recipient_name": "Sarah", "task_description": "Photos of the living room", "hit_type": "photo",
        ]
        for (name, value) in more.members { body[name] = value }
        let answer = try await call(.post, "/api/hits", .object(body), headers: phone.headers)
        return try #require(answer.body["id"]?.string)
    }

    func status(_ task: String) async throws -> String? {
        try await documents(in: "humanTasks").first { $0.path.id == task }.map { document in
            document["completedAt"] != nil ? "completed" : document["startedAt"] != nil ? "in_progress" : "pending"
        }
    }

    /// The current moment in the form of answers.
    var time: JSONValue { .string(clock.timestamp.description.prefix(23) + "Z") }
}

/// A registered device with its credentials.
struct Phone: Sendable {
    let id: String
    /// The device's `mcp_token`.
    let key: String

    var headers: HTTPFields { .device(id) }
    var agentHeaders: HTTPFields { [.authorization: "Bearer \(key)"] }
}

extension HTTPFields {
    static func device(_ id: String) -> HTTPFields {
        var fields: HTTPFields = [:]
        if let name = HTTPField.Name("X-Device-ID") { fields[name] = id }
        return fields
    }
}

extension FunctionResponse {
    /// An error in the form of human tasks.
    static func task(_ status: HTTPResponse.Status, _ text: String, _ headerFields: HTTPFields = [:])
        -> FunctionResponse
    {
        FunctionResponse(status: status, headerFields: headerFields, body: ["error": .string(text)])
    }

    /// The error for an invalid body, with the issues by field.
    static func invalid(_ issues: [(String?, String)]) -> FunctionResponse {
        let issues = issues.map { field, message -> JSONValue in
            ["path": .array(field.map { [.string($0)] } ?? []), "message": .string(message)]
        }
        return FunctionResponse(
            status: .badRequest, body: ["error": "Invalid request body", "issues": .array(issues)])
    }
}
