import HTTP2Client
import Logging
import TestDoubles

extension HTTP2Client {
    /// Returns a client with the test's configuration.
    static func forTest(_ logger: Logger = .silent, _ configure: (inout Configuration) -> Void = { _ in })
        -> HTTP2Client
    {
        var configuration = Configuration()
        configure(&configuration)
        return HTTP2Client(configuration: configuration, logger: logger)
    }

    /// Returns the error of a request that must fail; `nil` if it was answered.
    func failure(of request: HTTP2Request) async -> HTTP2ClientError? {
        do throws(HTTP2ClientError) {
            _ = try await execute(request)
            return nil
        } catch {
            return error
        }
    }
}
