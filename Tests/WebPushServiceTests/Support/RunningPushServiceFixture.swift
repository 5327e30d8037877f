import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles

@testable import WebPushService

/// A listening push service at the time of ``SamplePush``, and a sender over libcurl that trusts it.
struct RunningPushServiceFixture: Sendable {
    let service: LocalPushService
    let addresses: LocalPushServiceAddresses
    let client: HTTPClient
    let sample: SamplePush

    /// Starts a service, runs the body, and shuts the service down, even if the body throws.
    static func run(
        _ configure: (inout LocalPushServiceConfiguration) -> Void = { _ in },
        body: @Sendable (RunningPushServiceFixture) async throws -> Void
    ) async throws {
        var configuration = LocalPushServiceConfiguration()
        configuration.now = { Date(timeIntervalSince1970: Double(SamplePush.now)) }
        configure(&configuration)
        let service = LocalPushService(configuration: configuration)
        let addresses = try await service.start()
        var client = HTTPClient.Configuration()
        client.caFile = addresses.certificateAuthorityPath
        let fixture = try RunningPushServiceFixture(
            service: service, addresses: addresses, client: HTTPClient(configuration: client, logger: .silent),
            sample: SamplePush())
        do {
            try await body(fixture)
        } catch {
            await fixture.client.shutdown()
            await service.shutdown()
            throw error
        }
        await fixture.client.shutdown()
        await service.shutdown()
    }

    /// Sends a message to a subscription's endpoint, or to its path at the service's own address.
    func push(
        to subscription: Subscription, _ changes: [String: String?] = [:], body: [UInt8]? = nil,
        version: HTTPClientRequest.Version = .http2, deadline: Duration = .patience
    ) async throws -> HTTPClientResponse {
        let request = try sample.request(to: subscription, changes, body: body)
        var fields = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return try await client.execute(
            HTTPClientRequest(
                method: .post, url: addresses.push + request.path, headerFields: fields, body: request.body,
                deadline: deadline, version: version))
    }

    func control(_ method: HTTPRequest.Method, _ target: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let response = try await client.execute(
            HTTPClientRequest(
                method: method, url: addresses.control + target, body: body?.serialized ?? [], deadline: .patience,
                version: .http1))
        return try JSONValue(parsing: response.body)
    }

    /// The port of a URL.
    static func port(_ url: String) throws -> Int {
        struct Missing: Error {}
        guard let port = URL(string: url)?.port else { throw Missing() }
        return port
    }
}
