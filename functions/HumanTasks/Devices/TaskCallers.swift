import DocumentStore
import HTTPTypes

/// The identification of callers, which send a device's token or its id.
struct TaskCallers: Sendable {
    /// The devices that a request identifies.
    private struct Identity {
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

    private static let deviceHeader = HTTPField.Name("X-Device-ID")

    private let devices: TaskDevices
    private let presence: Presence
    private let reach: DeviceReach

    init(devices: TaskDevices, presence: Presence, reach: DeviceReach) {
        self.devices = devices
        self.presence = presence
        self.reach = reach
    }

    /// Returns the calling device and records the call.
    func device(calling request: FunctionRequest) async throws -> TaskDevice {
        let identity = try await identity(of: request)
        guard let device = identity.device else { throw refusal(of: identity, request) }
        return device
    }

    /// Returns the calling device where none is required; `nil` if the request identifies none.
    func optionalDevice(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        try await identity(of: request).device
    }

    /// Returns the device with that id, if it is the caller. The caller proves it by the device's token, or by sending
    /// the same id in the header.
    func device(_ id: String, calling request: FunctionRequest) async throws -> TaskDevice {
        let identity = try await identity(of: request)
        guard identity.device != nil else { throw refusal(of: identity, request) }
        guard let device = try await devices.device(id) else { throw HumanTasksError.deviceNotFound }
        guard device.id == identity.agents?.id || device.id == identity.named?.id else {
            throw HumanTasksError.anotherDevice
        }
        return device
    }

    /// Returns the error for a request without a device. The app of a device that it names stays silent until the
    /// user registers it again, so the operator gets to know.
    private func refusal(of identity: Identity, _ request: FunctionRequest) -> HumanTasksError {
        if !identity.isNameMissing { reach.noteUnknownDevice(from: request.clientAddress) }
        return identity.refusal
    }

    /// Reads the devices of a request and records the call.
    private func identity(of request: FunctionRequest) async throws(StoreError) -> Identity {
        let agents = try await agent(calling: request)
        if let agents { presence.note(agents.id, isAgent: true) }
        let name = Self.deviceHeader.flatMap { request.headerFields[$0] }?.trimmingWhitespace() ?? ""
        let named = try await devices.device(name)
        if let named, agents == nil { presence.note(named.id, isAgent: false) }
        return Identity(agents: agents, named: named, isNameMissing: name.isEmpty)
    }

    /// Returns the device of the request's token, or `nil` if there is none.
    private func agent(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        guard let token = BearerCredential(authorization: request.headerFields[.authorization]) else { return nil }
        return try await devices.device(withToken: token.value)
    }
}
