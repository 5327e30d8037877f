internal import Functions
internal import HTTPTransport
internal import HTTPTypes
internal import Logging
internal import ServiceLifecycle

/// The functions' way to look at other sites; as a service, so that its thread ends with the gateway.
struct WebClient: Fetcher, Service {
    private let client: HTTPClient

    /// What a site says about a player of hundreds of games is a megabyte or two; as many as may be asked after at once
    /// can be in memory, and their like again for callers.
    private static let maximumAnswerBytes = 4 << 20
    /// A site's connections need not outlast the time between two turns by much.
    private static let idleLifetime = Duration.seconds(90)

    /// - Parameter atOnce: how many requests one host may be asked at the same time.
    init(atOnce: Int, logger: Logger) {
        var configuration = HTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = atOnce
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

    /// Until shutdown; whoever asks by then is answered first.
    func run() async throws {
        try? await gracefulShutdown()
        await client.shutdown()
    }
}

extension FetchError.Kind {
    fileprivate init(_ error: HTTPClientError) {
        switch error.kind {
        case .couldNotConnect, .tls: self = .unreachable
        case .timedOut: self = error.isUnprocessed ? .unreachable : .timedOut
        case .connectionLost, .refused: self = .broken
        case .responseTooLarge: self = .tooLarge
        case .cancelled, .closed: self = .cancelled
        case .invalidRequest, .other: self = .other
        }
    }
}
