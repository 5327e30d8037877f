import DocumentStore
import HTTPTypes
import JSON

/// The endpoints of devices: their registration, their state, and the tokens for their notifications.
struct DeviceEndpoints: Sendable {
    private let devices: TaskDevices
    private let callers: TaskCallers
    private let presence: Presence
    private let addresses: DeviceRegistry
    private let now: @Sendable () -> Timestamp

    /// - Parameter addresses: The devices' addresses for notifications.
    init(
        devices: TaskDevices, callers: TaskCallers, presence: Presence, addresses: DeviceRegistry,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.devices = devices
        self.callers = callers
        self.presence = presence
        self.addresses = addresses
        self.now = now
    }

    @Sendable func register(_ request: FunctionRequest) async throws -> FunctionResponse {
        if let reason = request.originRefusal { throw HumanTasksError.foreignOrigin(reason) }
        let registration = try DeviceRegistration(try await request.jsonObject(limit: HumanTasks.maximumBodyBytes))
        let registered = try await devices.register(registration, from: request.clientAddress)
        return FunctionResponse(
            status: registered.isNew ? .created : .ok, body: registered.device.json(token: registered.token))
    }

    @Sendable func show(_ request: FunctionRequest) async throws -> FunctionResponse {
        guard let device = try await devices.device(Self.id(request)) else { throw HumanTasksError.deviceNotFound }
        return FunctionResponse(body: device.json(try await presence.latest(of: device.id), now: now()))
    }

    @Sendable func storeToken(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await callers.device(Self.id(request), calling: request)
        let object = try await Self.tokenObject(of: request)
        let asksForReceipts = LooseFields(object).asksForReceipts
        let registered: RegisteredDevice
        if let subscription = try addresses.subscription(in: object) {
            guard LooseFields(object).value("token") == nil else { throw HumanTasksError.tokenAndSubscription }
            registered = try await addresses.register(
                id: device.id, .subscription(subscription), platform: "web", asksForReceipts: asksForReceipts)
        } else {
            registered = try await addresses.register(
                id: device.id, try address(in: object), platform: "ios", asksForReceipts: asksForReceipts)
        }
        var answer: JSONObject = ["status": "ok", "updated_at": .string(now().inMilliseconds)]
        SubscriptionField.note(formerRemovedAt: registered.formerRemovedAt, in: &answer)
        return FunctionResponse(body: .object(answer))
    }

    /// Returns the token in a body, or the address at a relay that the token is.
    private func address(in object: JSONObject) throws -> DeviceAddress {
        var fields = CheckedFields(object)
        let token = fields.text("token", 1...200)
        try fields.check()
        if let relayed = try addresses.relayAddress(in: object, token: token, field: "token") {
            return .subscription(relayed)
        }
        try addresses.reach.forms.check(token, in: "token")
        return .token(token)
    }

    /// Reads the body as a JSON object. The contract has another text here for a body that is not JSON.
    private static func tokenObject(of request: FunctionRequest) async throws(HumanTasksError) -> JSONObject {
        do {
            return try await request.jsonObject(limit: HumanTasks.maximumBodyBytes)
        } catch {
            throw error == .malformed ? .invalidJSON : HumanTasksError(error)
        }
    }

    /// Records a heartbeat of an agent.
    @Sendable func beat(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await presence.write(try await callers.device(Self.id(request), calling: request).id)
        return FunctionResponse(status: .noContent, content: .none)
    }

    /// Returns the id in the request's path.
    private static func id(_ request: FunctionRequest) -> String { request.parameters["device"] ?? "" }
}
