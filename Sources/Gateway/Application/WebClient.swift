import Functions
import HTTPClient
import HTTPTypes
import Logging
import ServiceLifecycle

/// The HTTP client that systems use to read other sites. It is a service, so that its thread ends with the gateway.
struct WebClient: Fetcher, Service {
    private let client: HTTPClient

    /// The maximum size of a response. A site's answer about a player of hundreds of games is one to two MiB. As many
    /// answers as there are concurrent requests can be in memory, and the same number again for callers.
    private static let maximumAnswerBytes = 4 << 20
    /// The time that an idle connection stays open: a little longer than the interval between two polls.
    private static let idleLifetime = Duration.seconds(90)

    /// Creates a client.
    ///
    /// - Parameter maximumConnectionsPerHost: The maximum number of concurrent requests to one host.
    init(maximumConnectionsPerHost: Int, logger: Logger) {
        var configuration = HTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = maximumConnectionsPerHost
        configuration.maximumResponseBytes = Self.maximumAnswerBytes
        configuration.idleLifetime = Self.idleLifetime
        configuration.userAgent = "pushgate/\(GatewayVersion.current)"
        client = HTTPClient(configuration: configuration, logger: logger)
    }

    func get(_ url: String, within bound: Duration) async throws(FetchError) -> FetchedAnswer {
        do {
            let answer = try await client.execute(
                HTTPClientRequest(url: url, headerFields: [.accept: "application/json"], deadline: bound))
            return FetchedAnswer(status: answer.statusCode, headerFields: answer.headerFields, body: answer.body)
        } catch {
            throw FetchError(FetchError.Kind(error), error.description)
        }
    }

    /// Runs until graceful shutdown. Requests made before that are answered first.
    func run() async throws {
        try? await gracefulShutdown()
        await client.shutdown()
    }
}

extension FetchError.Kind {
    fileprivate init(_ error: HTTPClientError) {
        switch error.kind {
        case .couldNotConnect, .addressRefused, .tls: self = .unreachable
        case .timedOut: self = error.isUnprocessed ? .unreachable : .timedOut
        case .connectionLost, .refused: self = .broken
        case .responseTooLarge: self = .tooLarge
        case .cancelled, .closed: self = .cancelled
        case .invalidRequest, .other: self = .other
        }
    }
}
