internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Logging

/// The endpoints that make, list and revoke keys.
extension Sessions {
    /// Answers with the key, which is nowhere to be read again.
    @Sendable func createKey(_ request: FunctionRequest) async throws -> FunctionResponse {
        let (key, value) = try await keys.create(try KeyRequest(try await object(of: request)))
        logger.notice("made key", metadata: ["key": "\(key.id)", "name": "\(key.name)"])
        return FunctionResponse(status: .created, body: key.json(with: value))
    }

    @Sendable func listKeys(_ request: FunctionRequest) async throws -> FunctionResponse {
        .list("keys", try await keys.all().map(\.listJSON))
    }

    @Sendable func revokeKey(_ request: FunctionRequest) async throws -> FunctionResponse {
        let id = request.parameters["id"] ?? ""
        guard try await keys.revoke(id) else { throw SessionsError.noSuchKey }
        logger.notice("revoked key", metadata: ["key": "\(id)"])
        return .done
    }
}
