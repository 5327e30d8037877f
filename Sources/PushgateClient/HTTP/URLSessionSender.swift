#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends over `URLSession`.
///
/// Of an answer's body 64 KiB are read: a gateway's have a few hundred bytes.
public struct URLSessionSender: HTTPSending {
    private static let bodyLimit = 65_536

    private let session: URLSession
    private let timeLimit: Duration

    /// - Parameters:
    ///   - session: the app's own; by default one that keeps nothing on the disk and waits for 15 s.
    ///   - timeLimit: how long a request may take with its whole answer, however steadily that trickles in.
    public init(session: URLSession = URLSession(configuration: .forGateways), timeLimit: Duration = .seconds(30)) {
        self.session = session
        self.timeLimit = timeLimit
    }

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
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = request.body
        for (name, value) in request.headerFields { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.answer(to: urlRequest, bodyLimit: Self.bodyLimit)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return GatewayResponse(
            status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: body)
    }
}

extension URLSessionConfiguration {
    /// Nothing on the disk, no cookies, and 15 s for an answer, as long as the newer daemons wait.
    public static var forGateways: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 15
        configuration.httpShouldSetCookies = false
        return configuration
    }
}
