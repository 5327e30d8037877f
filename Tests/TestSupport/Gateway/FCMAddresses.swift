import Gateway
package import HTTPClient
package import TestDoubles
import Testing

/// The addresses of a gateway in a test for clients of FCM.
package struct FCMAddresses: Sendable {
    /// The settings that open both ports, by key.
    package static let settings = ["fcm.tls.port": "0", "fcm.proxy.port": "0"]

    /// The URL of the TLS listener.
    package let tls: String
    /// The URL of the proxy.
    package let proxy: String
    /// The path of the gateway's certificate authority.
    package let caFile: String

    /// Reads the addresses of a running gateway.
    package init(_ gateway: RunningGateway) async throws {
        let addresses = try #require(await gateway.gateway.listening())
        tls = try #require(addresses.tls)
        proxy = try #require(addresses.proxy)
        caFile = gateway.directory + "/ca.pem"
    }

    /// Reads the addresses from the banner of a serving process.
    package init(_ serving: ServingProcess) throws {
        tls = try #require(serving.address("over TLS"))
        proxy = try #require(serving.address("proxy"))
        caFile = serving.directory + "/ca.pem"
    }

    package var tlsPort: Int { Self.port(of: tls) }
    package var proxyPort: Int { Self.port(of: proxy) }

    private static func port(of url: String) -> Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Creates a client over libcurl for the body.
    package func withClient<Output>(
        throughProxy isProxied: Bool = false, _ body: (HTTPClient) async throws -> Output
    ) async throws -> Output {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        if isProxied { configuration.proxy = proxy }
        return try await withHTTPClient(configuration, body)
    }

    /// Sends a request over libcurl on a new connection.
    package func answer(
        to request: HTTPClientRequest, throughProxy isProxied: Bool = false
    ) async throws -> HTTPClientResponse {
        try await withClient(throughProxy: isProxied) { try await $0.execute(request) }
    }
}

/// Runs a gateway with ports for clients of FCM for the duration of the body.
package func withFCMAddresses(
    _ settings: [String: String] = [:], in directory: String? = nil, log: CollectedLog = CollectedLog(),
    _ body: (RunningGateway, FCMAddresses) async throws -> Void
) async throws {
    try await withGateway(FCMAddresses.settings.merging(settings) { $1 }, in: directory, log: log) { gateway in
        try await body(gateway, try await FCMAddresses(gateway))
    }
}
