internal import DocumentStore
internal import Foundation
internal import HTTPTypes

/// Who calls: a device by its token, or by its id.
extension HumanTasks {
    private static let deviceHeader = HTTPField.Name("X-Device-ID")

    /// Whose call it is. That there was one is noted.
    func device(calling request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard let device = callers.agents ?? callers.named else { throw HumanTasksError.unknownDevice }
        return device
    }

    /// The device that calls where nobody needs to be one; `nil` if none does.
    func optionalDevice(calling request: FunctionRequest) async throws -> TaskDevice? {
        do {
            return try await device(calling: request)
        } catch is HumanTasksError {
            return nil
        }
    }

    /// The device of a path, when the call is its own: by its token; or by its id, which header and path both have.
    func ownDevice(of request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard let device = try await device(request.parameters["device"] ?? "") else {
            throw HumanTasksError.deviceNotFound
        }
        guard device.id == callers.agents?.id || device.id == callers.named?.id else {
            throw HumanTasksError.anotherDevice
        }
        return device
    }

    /// The device whose token the call has, and the one it names: one of them at least.
    private func callers(of request: FunctionRequest) async throws -> (agents: TaskDevice?, named: TaskDevice?) {
        let agents = try await agent(calling: request)
        if let agents { presence.note(agents.id, isAgent: true) }
        let name = Self.deviceHeader.flatMap { request.headerFields[$0] }?.trimmingWhitespace() ?? ""
        guard agents != nil || !name.isEmpty else { throw HumanTasksError.missingDevice }
        let named = try await device(name)
        if let named, agents == nil { presence.note(named.id, isAgent: false) }
        guard agents != nil || named != nil else { throw HumanTasksError.unknownDevice }
        return (agents, named)
    }

    /// The device whose token the call has, if it is one.
    private func agent(calling request: FunctionRequest) async throws -> TaskDevice? {
        guard let key = BearerCredential(authorization: request.headerFields[.authorization]) else { return nil }
        let path = try HumanTasksDocuments.key(MCPTokens.digest(of: key.value))
        guard let id = try await store.document(at: path)?[HumanTasksDocuments.deviceID]?.string else { return nil }
        return try await device(id)
    }

    /// nil when there is none of that id.
    func device(_ id: String) async throws -> TaskDevice? {
        guard let id = UUID(uuidString: id)?.uuidString.lowercased() else { return nil }
        return try await store.document(at: try HumanTasksDocuments.device(id)).flatMap(TaskDevice.init)
    }
}
