import HTTPClient
import TestDoubles

extension HTTPClient {
    /// Returns a client without logging, which ends when the test releases it.
    static func forTest(_ configure: (inout Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = Configuration()
        configure(&configuration)
        return HTTPClient(configuration: configuration, logger: .silent)
    }

    /// Returns the error of a request that must fail; `nil` if it was answered.
    func failure(of request: HTTPClientRequest) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            _ = try await execute(request)
            return nil
        } catch {
            return error
        }
    }
}
