#if !canImport(FoundationNetworking)
    internal import Foundation

    extension URLSession {
        /// The answer to a request, a redirect too; of its body no more than the limit.
        func answer(to request: URLRequest, bodyLimit: Int) async throws -> (Data, URLResponse) {
            let (bytes, response) = try await bytes(for: request, delegate: RedirectRefusal())
            defer { bytes.task.cancel() }
            var body = Data()
            for try await byte in bytes.prefix(bodyLimit) { body.append(byte) }
            return (body, response)
        }
    }

    /// Takes a redirect for the answer: following it would carry the secret to wherever it points.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
