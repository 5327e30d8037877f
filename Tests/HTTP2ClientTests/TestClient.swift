import HTTP2Client
import Logging
import TestDoubles

extension HTTP2Client {
    /// A client with a configuration of the test's.
    static func forTest(_ logger: Logger = .silent, _ configure: (inout Configuration) -> Void = { _ in })
        -> HTTP2Client
    {
        var configuration = Configuration()
        configure(&configuration)
        return HTTP2Client(configuration: configuration, logger: logger)
    }

    /// The error of a request that must fail; `nil` when it was answered.
    func failure(of request: HTTP2Request) async -> HTTP2ClientError? {
        do throws(HTTP2ClientError) {
            _ = try await execute(request)
            return nil
        } catch {
            return error
        }
    }
}
