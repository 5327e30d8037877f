import DocumentStore
import Functions
import HTTPTypes
import JSON
import Logging
import Messaging
import RelayTransport
import ServiceLifecycle
import TestDoubles
import Testing
import WebPush

/// A system over a real store, called by method and path, with a clock that stands still and a scripted transport.
struct SystemBench<System: FunctionModule>: Sendable {
    let clock: ManualClock
    let disk: TemporaryStore
    let store: ObservedStore
    let transport: ScriptedTransport
    let log: CollectedLog
    let dispatcher: Dispatcher
    let system: System
    /// The header fields of every call, unless the call replaces them.
    var headers: HTTPFields

    /// - Parameter disk: the store of an earlier bench whose gateway has ended.
    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(),
        _ transport: ScriptedTransport = ScriptedTransport(), headers: HTTPFields = [:],
        _ make: (ModuleServices) throws -> System
    ) throws {
        self.clock = clock
        self.transport = transport
        self.headers = headers
        self.disk = try disk ?? TemporaryStore(clock: clock)
        store = ObservedStore(self.disk.documents)
        log = CollectedLog()
        dispatcher = Dispatcher(
            store: store, transports: TransportTable(everythingTo: transport), clock: clock,
            now: { clock.timestamp }, jitter: { 1 }, logger: log.logger)
        system = try make(ModuleServices(store, dispatcher, clock, log.logger))
    }

    /// Waits until the outcomes of all notifications are stored.
    func untilStored() async throws {
        try await eventually("all outcomes are stored") {
            try await disk.documents.documents(matching: .collectionGroup("messages"))
                .allSatisfy { $0["settledAt"] != nil }
        }
    }

    /// Runs the dispatcher and the system's services for the duration of the body.
    func running(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in system.services + system.duties { group.addTask { try await service.run() } }
            try await dispatcher.running(body)
            group.cancelAll()
        }
    }

    func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = nil, text: String = "",
        bytes: [UInt8]? = nil,
        headers more: HTTPFields = [:], query: [String: String] = [:], address: String = "192.0.2.1",
        isFromLoopback: Bool = false, origin: String? = nil, originRefusal: String? = nil
    ) async throws -> FunctionResponse {
        let match = try #require(ModuleRouter([system]).match(method, RequestPath(path)))
        var headers = headers
        for field in more { headers[field.name] = field.value.isEmpty ? nil : field.value }
        let body = bytes ?? json?.serialized ?? Array(text.utf8)
        return await match.handle(
            FunctionRequest(
                method: method, headerFields: headers, parameters: match.parameters, query: query,
                clientAddress: address, isFromLoopback: isFromLoopback, origin: origin, originRefusal: originRefusal
            ) { maximum throws(RequestBodyError) in
                guard body.count <= maximum else { throw .tooLarge }
                return body
            })
    }

    func documents(in collection: String) async throws -> [Document] {
        try await disk.documents.documents(matching: .collection(CollectionPath(collection)))
    }

    /// Returns the sent notifications in order, once there are `count`.
    func sent(_ count: Int) async -> [ScriptedTransport.Sent] {
        _ = await eventually { transport.sent.count >= count }
        return transport.sent
    }
}

extension ModuleServices {
    /// The services of a gateway in tests: files in memory, a site with a script, and random numbers that are 0.
    init(_ store: any DocumentStore, _ dispatcher: Dispatcher, _ clock: ManualClock, _ logger: Logger) {
        let outbox = Outbox(store: store, dispatcher: dispatcher, now: { clock.timestamp })
        self.init(
            store: store, outbox: outbox,
            broadcaster: Broadcaster(store: store, outbox: outbox, clock: clock, logger: logger),
            host: ModuleHost(
                version: "1.2.3", isAppConfigured: { _ in true }, forms: .withEnvironments,
                registrationCollections: .all(of: [
                    CodeAgents.self, Runs.self, Turns.self, Sessions.self, HumanTasks.self,
                ]),
                files: { _ in MemoryFiles() },
                fetcher: { _ in ScriptedSite(clock) }, secret: { _ in Array(repeating: 7, count: 32) }),
            troubles: DeviceTroubles(now: { clock.timestamp }, logger: logger), logger: logger)
        self.clock = clock
        now = { clock.timestamp }
        jitter = { 0 }
        cards = Cards(store: store, outbox: outbox, clock: clock, now: { clock.timestamp }, logger: logger)
    }
}

extension TokenForms {
    /// The standard forms, with the environments that the contracts name, the subscriptions of browsers, and addresses
    /// at relays.
    static let withEnvironments = TokenForms(
        otherwise: .fcm, environments: [(.apns, ["sandbox", "production"])],
        parts: { text, service in
            switch service {
            case .webPush: BrowserPushService.parts(of: text)
            case .relay: AuthorRelayService.parts(of: text)
            default: TokenForms.Parts(token: text)
            }
        },
        subscriptions: { json throws(SubscriptionError) in
            if let token = try AuthorRelayService.token(ofSubscription: json) { return token }
            return try BrowserPushService.token(ofSubscription: json)
        },
        problems: { text, service in
            switch service {
            case .webPush: BrowserPushService.problem(with: text)
            case .relay: AuthorRelayService.problem(with: text)
            default: nil
            }
        },
        recognized: { [standard = TokenForms.standard] token in
            guard !BrowserPushService.recognizes(token) else { return .webPush }
            guard !AuthorRelayService.recognizes(token) else { return .relay }
            let service = standard.transport(of: token)
            return service == .fcm ? nil : service
        })
}

extension FunctionResponse {
    static func json(_ status: HTTPResponse.Status, _ body: JSONValue) -> FunctionResponse {
        FunctionResponse(status: status, body: body)
    }
}
