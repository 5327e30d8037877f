internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// `POST /unregisterSubscription`: a phone wants no more of one agent, or of a whole server.
extension CodeAgents {
    /// How many documents are looked up, or deleted, at once.
    private static let batch = 500

    @Sendable func unregisterSubscription(_ request: CheckedRequest) async throws -> FunctionResponse {
        let cwd = try request.fields.optional(.cwd)
        guard let installationID = try request.fields.optional(.installationID) else {
            throw CodeAgentsError.badRequest
        }
        let devices = try await devices(of: installationID, serverKey: request.serverKey, cwd: cwd)
        var deleted = 0
        for start in stride(from: 0, to: devices.count, by: Self.batch) {
            deleted += try await delete(Array(devices[start..<min(start + Self.batch, devices.count)]))
        }
        return FunctionResponse(body: ["ok": true, "deleted": .integer(Int64(deleted))])
    }

    /// Where the installation may be registered: below the one agent, or below each the server has.
    private func devices(of installationID: String, serverKey: String, cwd: String?) async throws -> [DocumentPath] {
        do {
            // An id that no device can have is an error also where there are no agents to look below.
            _ = try CollectionPath(CodeAgentsDocuments.devices).document(installationID)
            if let cwd {
                return [try Agent(serverKey: serverKey, cwd: cwd).devices.document(installationID)]
            }
            var agents = Query.collection(
                try CodeAgentsDocuments.server(serverKey).collection(CodeAgentsDocuments.agents))
            agents.projection = []
            return try await store.documents(matching: agents).map { agent in
                try agent.path.collection(CodeAgentsDocuments.devices).document(installationID)
            }
        } catch let error as StoreError where error.code == .invalidArgument {
            throw CodeAgentsError.badRequest
        }
    }

    /// - Returns: how many of the documents there were.
    private func delete(_ devices: [DocumentPath]) async throws -> Int {
        let existing = try await store.documents(at: devices).compactMap { $0?.path }
        guard !existing.isEmpty else { return 0 }
        _ = try await store.commit(existing.map { .delete($0) })
        return existing.count
    }
}
