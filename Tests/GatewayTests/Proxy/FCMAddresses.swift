import Gateway
import HTTPTransport
import TestDoubles
import TestSupport
import Testing

/// Where a gateway of a test meets the clients of FCM.
struct FCMAddresses: Sendable {
    static let settings = ["fcm.tls.port": "0", "fcm.proxy.port": "0"]

    let tls: String
    let proxy: String
    let caFile: String

    init(_ gateway: RunningGateway) async throws {
        let addresses = try #require(await gateway.gateway.listening())
        tls = try #require(addresses.tls)
        proxy = try #require(addresses.proxy)
        caFile = gateway.directory + "/ca.pem"
    }

    var tlsPort: Int { Self.port(of: tls) }
    var proxyPort: Int { Self.port(of: proxy) }

    private static func port(of url: String) -> Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Makes a request over libcurl, on a connection of its own.
    func answer(
        to request: HTTPClientRequest, throughProxy isProxied: Bool = false
    ) async throws -> HTTPClientResponse {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        if isProxied { configuration.proxy = proxy }
        let client = HTTPClient(configuration: configuration, logger: CollectedLog().logger)
        let result: Result<HTTPClientResponse, HTTPClientError>
        do throws(HTTPClientError) { result = .success(try await client.execute(request)) } catch {
            result = .failure(error)
        }
        await client.shutdown(within: .zero)
        return try result.get()
    }
}

/// Runs a gateway that clients of FCM can be pointed at for as long as the body takes.
func withFCMAddresses(
    _ settings: [String: String] = [:], in directory: String? = nil, log: CollectedLog = CollectedLog(),
    _ body: (RunningGateway, FCMAddresses) async throws -> Void
) async throws {
    try await withGateway(FCMAddresses.settings.merging(settings) { $1 }, in: directory, log: log) { gateway in
        try await body(gateway, try await FCMAddresses(gateway))
    }
}
