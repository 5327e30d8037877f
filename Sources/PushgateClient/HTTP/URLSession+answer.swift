#if !canImport(FoundationNetworking)
    internal import Foundation

    extension URLSession {
        /// The answer to a request, a redirect too.
        func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
            try await data(for: request, delegate: RedirectRefusal())
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
