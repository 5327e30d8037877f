import DocumentStore
import Foundation
import HTTPTypes
import JSON

/// The devices that create tasks.
extension HumanTasks {
    // MARK: Registering

    /// Registers a device. A device with a vendor id is registered once and gets its earlier id and token again.
    @Sendable func registerDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        if let reason = request.originRefusal { throw HumanTasksError.foreignOrigin(reason) }
        var fields = CheckedFields(try await request.jsonObject(limit: Self.maximumBodyBytes))
        let name = fields.text("name", 1...100)
        let vendor = fields.optionalUUID("vendor_id")
        let isRegenerating = fields.optionalBoolean("regenerate_token") ?? false
        try fields.check()
        guard let vendor else {
            try admitNewDevice(request)
            return try await register(name, vendor: nil)
        }
        while true {
            let known = try await device(ofVendor: vendor)
            if known == nil { try admitNewDevice(request) }
            do throws(StoreError) {
                guard let known else { return try await register(name, vendor: vendor) }
                return try await registerAgain(known, name, isRegenerating)
            } catch {
                // The same device has registered at the same moment.
                guard error.code == .alreadyExists || error.code == .failedPrecondition else { throw error }
            }
            try Task.checkCancellation()
        }
    }

    private func admitNewDevice(_ request: FunctionRequest) throws(HumanTasksError) {
        if let seconds = newDevices.admit(request.clientAddress, at: now().seconds) {
            throw .tooManyDevices(retryAfter: seconds)
        }
    }

    private func device(ofVendor vendor: String) async throws(StoreError) -> TaskDevice? {
        let path = try HumanTasksDocuments.vendor(vendor)
        guard let id = try await store.document(at: path)?[HumanTasksDocuments.deviceID]?.string else { return nil }
        return try await device(id)
    }

    private func register(_ name: String, vendor: String?) async throws(StoreError) -> FunctionResponse {
        let salt = MCPTokens.makeSalt()
        let token = mcpTokens.token(salt: salt)
        let device = TaskDevice(
            id: UUID().uuidString.lowercased(), name: name, salt: salt, keyDigest: MCPTokens.digest(of: token),
            at: now())
        let owner: Fields = [HumanTasksDocuments.deviceID: .string(device.id)]
        var writes: [Write] = [
            .create(try HumanTasksDocuments.device(device.id), device.fields),
            .create(try HumanTasksDocuments.key(device.keyDigest), owner),
        ]
        if let vendor { writes.append(.create(try HumanTasksDocuments.vendor(vendor), owner)) }
        _ = try await store.commit(writes)
        return FunctionResponse(status: .created, body: device.json(token: token))
    }

    private func registerAgain(
        _ device: TaskDevice, _ name: String, _ isRegenerating: Bool
    ) async throws(StoreError) -> FunctionResponse {
        var device = device
        let oldDigest = device.keyDigest
        device.name = name
        device.lastSeenAt = now()
        if isRegenerating { device.salt = MCPTokens.makeSalt() }
        let token = mcpTokens.token(salt: device.salt)
        // The token also differs if the key for tokens was lost.
        device.keyDigest = MCPTokens.digest(of: token)
        var writes: [Write] = [
            .set(
                try HumanTasksDocuments.device(device.id), device.fields,
                precondition: device.updateTime.map(Precondition.updateTime))
        ]
        if device.keyDigest != oldDigest {
            writes.append(.delete(try HumanTasksDocuments.key(oldDigest)))
            writes.append(
                .set(
                    try HumanTasksDocuments.key(device.keyDigest), [HumanTasksDocuments.deviceID: .string(device.id)]))
        }
        _ = try await store.commit(writes)
        return FunctionResponse(body: device.json(token: token))
    }

    // MARK: State

    @Sendable func showDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        guard let device = try await device(request.parameters["device"] ?? "") else {
            throw HumanTasksError.deviceNotFound
        }
        let document = try await store.document(at: try HumanTasksDocuments.presence(device.id))
        return FunctionResponse(body: device.json(presence.latest(of: device.id, document), now: now()))
    }

    @Sendable func storeToken(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await ownDevice(of: request)
        var fields = CheckedFields(try await tokenObject(of: request))
        let token = fields.text("token", 1...200)
        try fields.check()
        _ = try await tokens.register(id: device.id, token: token, platform: "ios")
        return FunctionResponse(body: ["status": "ok", "updated_at": .string(now().inMilliseconds)])
    }

    /// Reads the body as a JSON object. The contract has another text here for a body that is not JSON.
    private func tokenObject(of request: FunctionRequest) async throws(HumanTasksError) -> JSONObject {
        do {
            return try await request.jsonObject(limit: Self.maximumBodyBytes)
        } catch {
            throw error == .malformed ? .invalidJSON : HumanTasksError(error)
        }
    }

    /// Records a heartbeat of an agent.
    @Sendable func beat(_ request: FunctionRequest) async throws -> FunctionResponse {
        try await presence.write(try await ownDevice(of: request).id)
        return FunctionResponse(status: .noContent, content: .none)
    }
}

/// The devices that a request identifies.
private struct Callers {
    /// The device of the request's token.
    let agents: TaskDevice?
    /// The device that the header names.
    let named: TaskDevice?
    /// `true` if the header names no device.
    let isNameMissing: Bool

    var device: TaskDevice? { agents ?? named }

    /// The error if there is no device.
    var refusal: HumanTasksError { isNameMissing ? .missingDevice : .unknownDevice }
}

/// The identification of callers, which send a device's token or its id.
extension HumanTasks {
    private static let deviceHeader = HTTPField.Name("X-Device-ID")

    /// Returns the calling device and records the call.
    func device(calling request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard let device = callers.device else { throw refusal(of: callers, request) }
        return device
    }

    /// Returns the calling device where none is required; `nil` if the request identifies none.
    func optionalDevice(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        try await callers(of: request).device
    }

    /// Returns the device in the path, if the caller is that device. The caller proves it by the token, or by sending
    /// the path's id in the header.
    func ownDevice(of request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard callers.device != nil else { throw refusal(of: callers, request) }
        guard let device = try await device(request.parameters["device"] ?? "") else {
            throw HumanTasksError.deviceNotFound
        }
        guard device.id == callers.agents?.id || device.id == callers.named?.id else {
            throw HumanTasksError.anotherDevice
        }
        return device
    }

    /// Returns the error for a request without a device. The app of a device that it names stays silent until the
    /// user registers it again, so the operator gets to know.
    private func refusal(of callers: Callers, _ request: FunctionRequest) -> HumanTasksError {
        if !callers.isNameMissing { tokens.reach.noteUnknownDevice(from: request.clientAddress) }
        return callers.refusal
    }

    /// Reads the devices of a request and records the call.
    private func callers(of request: FunctionRequest) async throws(StoreError) -> Callers {
        let agents = try await agent(calling: request)
        if let agents { presence.note(agents.id, isAgent: true) }
        let name = Self.deviceHeader.flatMap { request.headerFields[$0] }?.trimmingWhitespace() ?? ""
        let named = try await device(name)
        if let named, agents == nil { presence.note(named.id, isAgent: false) }
        return Callers(agents: agents, named: named, isNameMissing: name.isEmpty)
    }

    /// Returns the device of the request's token, or `nil` if there is none.
    private func agent(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        guard let key = BearerCredential(authorization: request.headerFields[.authorization]) else { return nil }
        let path = try HumanTasksDocuments.key(MCPTokens.digest(of: key.value))
        guard let id = try await store.document(at: path)?[HumanTasksDocuments.deviceID]?.string else { return nil }
        return try await device(id)
    }

    /// Returns the device with that id, or `nil` if there is none.
    func device(_ id: String) async throws(StoreError) -> TaskDevice? {
        guard let id = UUID(uuidString: id)?.uuidString.lowercased() else { return nil }
        return try await store.document(at: try HumanTasksDocuments.device(id)).flatMap(TaskDevice.init)
    }
}
