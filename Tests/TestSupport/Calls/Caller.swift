import HTTPClient
package import HTTPTypes
package import JSON
import Logging
import TestBasics

/// A client of one gateway over HTTP, with up to 32 kept connections.
package struct Caller: Sendable {
    /// The gateway's URL, `http://127.0.0.1:50123`.
    package let url: String
    private let client: HTTPClient

    /// Creates a caller for the body and closes its connections afterwards.
    static func calling<Output>(
        _ url: String, logger: Logger, _ body: (Caller) async throws -> Output
    ) async throws -> Output {
        var configuration = HTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = 32
        configuration.maximumResponseBytes = 64 << 20
        configuration.connectTimeout = .patience
        return try await withHTTPClient(configuration, logger: logger) { client in
            try await body(Caller(url: url, client: client))
        }
    }

    /// The port of the gateway's URL.
    package var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Sends one request.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, headerFields: HTTPFields = [:], body: [UInt8] = []
    ) async throws -> Answer {
        let response = try await client.execute(
            HTTPClientRequest(
                method: method, url: url + path, headerFields: headerFields, body: body, deadline: .patience,
                version: .http1))
        return Answer(status: response.statusCode, headerFields: response.headerFields, bytes: response.body)
    }

    /// Calls a function in the way its clients do.
    package func call(
        _ function: String, _ body: JSONValue, secret: String, headerFields: HTTPFields = [:]
    ) async throws -> Answer {
        var headerFields = headerFields
        headerFields[.authorization] = "Bearer \(secret)"
        headerFields[.contentType] = "application/json"
        return try await send(.post, "/" + function, headerFields: headerFields, body: body.serialized)
    }
}
