import HTTPClient
import HTTPTypes
import Instance
import JSON
import Logging
import Messaging
import Secrets

/// The requests of the doctor to gateways. Each has a connection of its own.
struct DoctorClient: Sendable {
    private static let patience = Duration.seconds(10)

    /// The PEM file of the authorities to trust; `nil` for the system's.
    private let caFile: String?
    private let logger: Logger

    init(caFile: String?, logger: Logger) {
        self.caFile = caFile
        self.logger = logger
    }

    func get(_ url: String, _ headerFields: HTTPFields = [:]) async throws(HTTPClientError) -> HTTPClientResponse {
        var settings = HTTPClient.Configuration()
        settings.caFile = caFile
        let client = HTTPClient(configuration: settings, logger: logger)
        let result: Result<HTTPClientResponse, HTTPClientError>
        do throws(HTTPClientError) {
            result = .success(
                try await client.execute(
                    HTTPClientRequest(url: url, headerFields: headerFields, deadline: Self.patience)))
        } catch {
            result = .failure(error)
        }
        await client.shutdown()
        return try result.get()
    }

    /// Returns a running gateway's survey of browsers; `nil` if none runs on the directory, or it cannot be asked.
    ///
    /// - Parameter adminToken: The token of the settings; `nil` for the one in the directory.
    func survey(of directory: DataDirectory, adminToken: RedactedString?) async -> SubscriptionSurvey? {
        guard directory.lock.isTaken, let address = try? directory.address.believed(),
            let token = adminToken ?? directory.adminToken.existing()
        else { return nil }
        let fields: HTTPFields = [.authorization: "Bearer \(token.value)"]
        let answer = try? await get(address + SubscriptionSurveyEndpoint.path, fields)
        return answer.flatMap { try? JSONValue(parsing: $0.body) }.flatMap { SubscriptionSurvey($0) }
    }
}
