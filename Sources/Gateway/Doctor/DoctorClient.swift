import HTTPTransport
import HTTPTypes
import Logging

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
}
