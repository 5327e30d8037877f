#if canImport(FoundationNetworking)
    internal import Foundation
    internal import FoundationNetworking
    internal import Synchronization

    extension URLSession {
        /// Returns the answer to a request, which may be a redirect, with its body up to the limit in bytes.
        ///
        /// swift-corelibs-foundation passes a redirect only to the delegate of a session, and only for tasks whose
        /// data go to that delegate as well. So each request uses a new session with this session's configuration.
        func answer(to request: URLRequest, bodyLimit: Int) async throws -> (Data, URLResponse) {
            let collector = AnswerCollector(bodyLimit: bodyLimit)
            let session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
            let task = session.dataTask(with: request)
            session.finishTasksAndInvalidate()
            return try await withTaskCancellationHandler {
                task.resume()
                return try await withCheckedThrowingContinuation(collector.wait)
            } onCancel: {
                task.cancel()
                // A task that is cancelled before it is resumed does not report it.
                collector.finish(nil, URLError(.cancelled))
            }
        }
    }

    /// A delegate that collects the answer to one request.
    private final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
        typealias Answer = Result<(Data, URLResponse), any Error>

        private struct State {
            var data = Data()
            var answer: Answer?
            var waiter: CheckedContinuation<(Data, URLResponse), any Error>?
        }

        private let bodyLimit: Int
        private let state = Mutex(State())

        init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

        func wait(_ continuation: CheckedContinuation<(Data, URLResponse), any Error>) {
            let answer = state.withLock { state in
                if state.answer == nil { state.waiter = continuation }
                return state.answer
            }
            if let answer { continuation.resume(with: answer) }
        }

        /// Completes the answer with the data received so far, unless it is complete.
        func finish(_ response: URLResponse?, _ error: (any Error)?) {
            let (waiter, answer) = state.withLock { state in
                let answer = state.answer ?? Self.answer(state.data.prefix(bodyLimit), response, error)
                state.answer = answer
                defer { state.waiter = nil }
                return (state.waiter, answer)
            }
            waiter?.resume(with: answer)
        }

        /// Treats a redirect as the answer. Following it would send the secret to another server.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let isFull = state.withLock { state in
                state.data += data
                return state.data.count >= bodyLimit
            }
            guard isFull else { return }
            finish(dataTask.response, nil)
            dataTask.cancel()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            finish(task.response, error)
        }

        private static func answer(_ data: Data, _ response: URLResponse?, _ error: (any Error)?) -> Answer {
            if let error { return .failure(error) }
            guard let response else { return .failure(URLError(.badServerResponse)) }
            return .success((Data(data), response))
        }
    }
#endif

#if !canImport(FoundationNetworking)
    internal import Foundation

    extension URLSession {
        /// Returns the answer to a request, which may be a redirect, with its body up to the limit in bytes.
        func answer(to request: URLRequest, bodyLimit: Int) async throws -> (Data, URLResponse) {
            let (bytes, response) = try await bytes(for: request, delegate: RedirectRefusal())
            defer { bytes.task.cancel() }
            var body = Data()
            for try await byte in bytes.prefix(bodyLimit) { body.append(byte) }
            return (body, response)
        }
    }

    /// A delegate that treats a redirect as the answer. Following it would send the secret to another server.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
