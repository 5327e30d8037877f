import APNsSimulator
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import Logging

/// A sender with the project's own HTTP client, which uses libcurl.
struct Sender: Sendable {
    let client: HTTPClient
    let addresses: APNsSimulatorAddresses
    let authorization: String

    /// - Parameter trustsSimulator: `true` to trust the simulator's CA, `false` for the system's CAs.
    init(_ fixture: RunningSimulatorFixture, trustsSimulator: Bool = true) {
        var configuration = HTTPClient.Configuration()
        if trustsSimulator { configuration.caFile = fixture.addresses.certificateAuthorityPath }
        self.client = HTTPClient(configuration: configuration, logger: Logger(label: "sender"))
        self.addresses = fixture.addresses
        self.authorization = fixture.authorization
    }

    func push(
        to token: String, _ payload: JSONValue = ["aps": ["alert": "Done"]], _ changes: [String: String] = [:]
    ) async throws(HTTPClientError) -> HTTPClientResponse {
        var fields: HTTPFields = [.authorization: authorization]
        let headers = ["apns-topic": "com.example.app", "apns-push-type": "alert"].merging(changes) { $1 }
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        return try await client.execute(
            HTTPClientRequest(
                method: .post, url: addresses.apns + "/3/device/" + token, headerFields: fields,
                body: payload.serialized))
    }

    func control(
        _ method: HTTPRequest.Method, _ target: String, _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let response = try await client.execute(
            HTTPClientRequest(
                method: method, url: addresses.control + target, body: body?.serialized ?? [], version: .http1))
        return try JSONValue(parsing: response.body)
    }
}

extension RunningSimulatorFixture {
    /// Runs a simulator and a sender that trusts it.
    static func runWithSender(
        _ configure: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        body: @Sendable (RunningSimulatorFixture, Sender) async throws -> Void
    ) async throws {
        try await run(configure) { fixture in
            let sender = Sender(fixture)
            do {
                try await body(fixture, sender)
            } catch {
                await sender.client.shutdown()
                throw error
            }
            await sender.client.shutdown()
        }
    }
}
