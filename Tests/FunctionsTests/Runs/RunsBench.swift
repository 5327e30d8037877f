import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles

typealias RunsBench = SystemBench<Runs>

extension RunsBench {
    static let key = "0123456789abcdef01234567"

    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(),
        _ transport: ScriptedTransport = ScriptedTransport(), forms: TokenForms = .withEnvironments,
        events: (any DeliveryEventRecorder)? = nil, configure: (inout RunsSettings) -> Void = { _ in }
    ) throws {
        var settings = RunsSettings()
        settings.apiKeys = [Self.key]
        configure(&settings)
        try self.init(on: disk, clock: clock, transport, headers: [.authorization: "Bearer \(Self.key)"]) {
            var services = $0
            services.host.forms = forms
            services.events = events
            return try Runs(settings: settings, services: services)
        }
    }

    func register(_ token: String = "token-1") async throws -> FunctionResponse {
        try await call(.post, "/api/devices", ["token": .string(token), "platform": "ios"])
    }

    func report(_ id: String, _ type: String, _ data: JSONObject = [:]) async throws -> FunctionResponse {
        let known: JSONObject = [
            "repo_name": "pushgate", "prompt_preview": "Fix the login bug", "server_id": "server-1",
        ]
        var all = known
        for (name, value) in data.members { all[name] = value }
        return try await call(
            .post, "/api/events",
            [
                "id": .string(id), "run_id": "run-1", "seq": 1, "type": .string(type), "data": .object(all),
                "created_at": 1_700_000_000,
            ])
    }

    func requestApproval(_ approval: String = "approval-1", event: String = "event-1") async throws -> FunctionResponse
    {
        try await report(event, "approval_requested", ["approval_id": .string(approval), "type": "command"])
    }

    func resolveApproval(_ approval: String = "approval-1", event: String = "event-2") async throws -> FunctionResponse
    {
        try await report(event, "approval_resolved", ["approval_id": .string(approval)])
    }
}
