#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A sender that uses `URLSession`.
///
/// It reads at most 64 KiB of an answer's body; a gateway sends a few hundred bytes.
public struct URLSessionSender: HTTPSending {
    private static let bodyLimit = 65_536

    private let session: URLSession
    private let timeLimit: Duration

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - session: A session of the app. The default stores nothing on disk and waits 15 s for data.
    ///   - timeLimit: The longest time for a request and its complete answer.
    public init(session: URLSession = URLSession(configuration: .forGateways), timeLimit: Duration = .seconds(30)) {
        self.session = session
        self.timeLimit = timeLimit
    }

    /// Sends a request once, without following redirects.
    public func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        try Task.checkCancellation()
        return try await withThrowingTaskGroup(of: GatewayResponse.self) { race in
            race.addTask { try await answer(to: request) }
            race.addTask {
                try await Task.sleep(for: timeLimit)
                throw URLError(.timedOut)
            }
            defer { race.cancelAll() }
            guard let first = try await race.next() else { throw URLError(.unknown) }
            return first
        }
    }

    private func answer(to request: GatewayRequest) async throws -> GatewayResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        if !request.body.isEmpty { urlRequest.httpBody = request.body }
        for (name, value) in request.headerFields { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.answer(to: urlRequest, bodyLimit: Self.bodyLimit)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return GatewayResponse(
            status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: body)
    }
}

/// The configuration of sessions for gateways.
extension URLSessionConfiguration {
    /// A configuration that stores nothing on disk, uses no cookies, and waits 15 s for data, as newer daemons do.
    public static var forGateways: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 15
        configuration.httpShouldSetCookies = false
        return configuration
    }
}
