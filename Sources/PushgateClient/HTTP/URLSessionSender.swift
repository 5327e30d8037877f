#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends over `URLSession`.
public struct URLSessionSender: HTTPSending {
    private let session: URLSession

    /// - Parameter session: the app's own; by default one that keeps nothing on the disk and waits for 15 s.
    public init(session: URLSession = URLSession(configuration: .forGateways)) { self.session = session }

    public func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = request.body
        for (name, value) in request.headerFields { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.answer(to: urlRequest)
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
