internal import DocumentStore
internal import JSON
internal import Messaging

/// The phones, all of which are told everything.
extension Sessions {
    private static let longestToken = 4_096

    /// The same token again overwrites what was said of it.
    @Sendable func registerPhone(_ request: FunctionRequest) async throws -> FunctionResponse {
        let object = try await object(of: request)
        let fields = LooseFields(object)
        guard let platform = fields.text("platform", atMost: LooseFields.longestName) else {
            throw SessionsError.badRequest("platform is required")
        }
        guard let token = fields.string("push_token") else { throw SessionsError.badRequest("push_token is required") }
        guard token.utf8.count <= Self.longestToken else {
            throw SessionsError.badRequest("push_token must be at most \(Self.longestToken) bytes long")
        }
        _ = try await phones.register(
            id: DeviceRegistry.id(ofToken: token), token: token, platform: platform,
            environment: fields.boolean("sandbox") == true ? .sandbox : .production)
        return .done
    }
}
