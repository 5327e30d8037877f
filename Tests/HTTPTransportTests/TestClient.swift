import HTTPTransport
import TestDoubles

extension HTTPClient {
    /// A client that tells nobody what it does; it ends when the test lets go of it.
    static func forTest(_ configure: (inout Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = Configuration()
        configure(&configuration)
        return HTTPClient(configuration: configuration, logger: .silent)
    }

    /// The error of a request that must fail; `nil` when it was answered.
    func failure(of request: HTTPClientRequest) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            _ = try await execute(request)
            return nil
        } catch {
            return error
        }
    }
}
