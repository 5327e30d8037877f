import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

/// The module over a real store, with a clock that stands still and a scripted transport.
struct Bench: Sendable {
    /// The SHA-256 of `/srv/app`.
    static let agentKey = "dae668e4084f07b6cb946fb2809f0f82649266bce36b42044235bb9026afa80d"

    let clock: ManualClock
    let disk: TemporaryStore
    let store: ObservedStore
    let transport: ScriptedTransport
    let log: CollectedLog
    let dispatcher: Dispatcher
    let broadcaster: Broadcaster
    let module: CodeAgents

    init(
        _ transport: ScriptedTransport = ScriptedTransport(),
        configure: (inout CodeAgentsSettings) -> Void = { _ in },
        services change: (ModuleServices) -> ModuleServices = { $0 }
    ) throws {
        let clock = ManualClock()
        self.clock = clock
        self.transport = transport
        disk = try TemporaryStore(clock: clock)
        store = ObservedStore(disk.documents)
        log = CollectedLog()
        dispatcher = Dispatcher(
            store: store, transports: TransportTable(everythingTo: transport), clock: clock,
            now: { clock.timestamp }, jitter: { 1 }, logger: log.logger)
        var settings = CodeAgentsSettings()
        configure(&settings)
        var services = ModuleServices(store, dispatcher, clock, log.logger)
        services.cache = { [disk] root in disk.engine.cache(of: root, in: disk.documents.database) }
        services = change(services)
        broadcaster = services.broadcaster
        module = CodeAgents(settings: settings, services: services)
    }

    /// Runs dispatcher and broadcaster for the duration of the body.
    func running(_ body: () async throws -> Void) async throws {
        try await broadcaster.running { try await dispatcher.running(body) }
    }

    // MARK: Calls

    func call(_ function: String, _ call: Call) async throws -> FunctionResponse {
        let function = try #require(module.functions.first { $0.name == function })
        return await function.handle(call.request)
    }

    func register(_ call: Call = .register()) async throws -> FunctionResponse {
        try await self.call("registerSubscription", call)
    }

    func unregister(_ call: Call) async throws -> FunctionResponse {
        try await self.call("unregisterSubscription", call)
    }

    func trigger(_ call: Call = .trigger()) async throws -> FunctionResponse {
        try await self.call("triggerReplyFinished", call)
    }

    // MARK: Documents

    func document(_ path: String) async throws -> Fields? {
        try await disk.documents.document(at: DocumentPath(path))?.fields
    }

    /// Returns every document by path.
    func documents(below parent: DocumentPath? = nil) async throws -> [String: Fields] {
        var documents: [String: Fields] = [:]
        for id in try await disk.documents.collectionIDs(below: parent) {
            let collection = try parent?.collection(id) ?? CollectionPath(id)
            for document in try await disk.documents.documents(matching: .collection(collection)) {
                documents[document.path.description] = document.fields
                documents.merge(try await self.documents(below: document.path)) { $1 }
            }
        }
        return documents
    }

    static let server = "servers/\(Call.serverKey)"
    static let agent = "\(server)/agents/\(agentKey)"

    static func device(_ installation: String) -> String { "\(agent)/devices/\(installation)" }

    var now: Value { .timestamp(clock.timestamp) }
}

extension FunctionResponse {
    /// The answer to a valid request, without header fields.
    static func ok(_ body: JSONValue) -> FunctionResponse { FunctionResponse(body: body) }

    /// An error of the contract's table.
    static func error(_ status: Int, _ code: String, _ headerFields: HTTPFields = [:]) -> FunctionResponse {
        FunctionResponse(
            status: HTTPResponse.Status(code: status), headerFields: headerFields, body: ["error": .string(code)])
    }

    /// The response without the text for people beside the code of an error.
    var withoutMessage: FunctionResponse {
        guard case .object(var object) = body, object["error"] != nil else { return self }
        object["message"] = nil
        return FunctionResponse(status: status, headerFields: headerFields, body: .object(object))
    }

    static let badRequest = error(400, "bad_request")
    static let unauthorized = error(401, "unauthorized", [.wwwAuthenticate: "Bearer"])
    static let unsupportedMediaType = error(415, "unsupported_media_type")

    static func rateLimited(retryAfter seconds: Int) -> FunctionResponse {
        error(429, "rate_limited", [.retryAfter: "\(seconds)"])
    }
}
