package import HTTPClient
package import Logging
import TestDoubles

/// Creates a client for the body and closes its connections even if the body throws.
package func withHTTPClient<Output>(
    _ configuration: HTTPClient.Configuration = HTTPClient.Configuration(), logger: Logger = .silent,
    _ body: (HTTPClient) async throws -> Output
) async throws -> Output {
    let client = HTTPClient(configuration: configuration, logger: logger)
    do {
        let output = try await body(client)
        await client.shutdown(within: .zero)
        return output
    } catch {
        await client.shutdown(within: .zero)
        throw error
    }
}
