internal import DocumentStore
internal import HTTPTypes
internal import JSON

/// The phones, all of which are told everything.
extension Runs {
    @Sendable func registerDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let object = try await object(of: request)
        guard let token = object["token"]?.string?.trimmingWhitespace(), !token.isEmpty else {
            throw RunsError.invalidInput("token is required")
        }
        guard let platform = object["platform"]?.string?.trimmingWhitespace(), !platform.isEmpty else {
            throw RunsError.invalidInput("platform is required")
        }
        guard platform == "ios" else { throw RunsError.invalidInput("invalid platform, must be 'ios'") }
        guard token.utf8.count <= Self.maximumTokenLength else { throw RunsError.invalidInput("token is too long") }
        let device = try await devices.register(
            id: DeviceRegistry.id(ofToken: token), token: token, platform: platform)
        return FunctionResponse(
            status: .created,
            body: [
                "token": .string(token), "platform": .string(platform),
                "created_at": .integer(device.createdAt.seconds),
            ])
    }

    @Sendable func unregisterDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let token = (request.parameters["token"] ?? "").trimmingWhitespace()
        guard try await devices.remove(id: DeviceRegistry.id(ofToken: token)) else { throw RunsError.deviceNotFound }
        return FunctionResponse(status: .noContent, content: .none)
    }

    /// As functions of other systems have it.
    private static let maximumTokenLength = 4_096
}
