import HTTPTypes
package import Hummingbird
import NIOCore
import NIOHTTPTypes

extension Request {
    /// Returns the request with a body that sends `100 Continue` when it is first read, if the client waits for that
    /// (RFC 9110 §10.1.1). A client whose request is refused early gets no `100 Continue`.
    package func meetingExpectation(in context: GatewayRequestContext) throws(APIError) -> Request {
        guard let expectation = headers.value(of: .expect) else { return self }
        guard expectation.lowercased() == "100-continue" else { throw .expectationFailed }
        var request = self
        request.body = RequestBody(asyncSequence: AwaitedBody(body: body, context: context))
        return request
    }
}

extension APIError {
    fileprivate static let expectationFailed = APIError(
        status: .expectationFailed, name: "INVALID_ARGUMENT",
        message: "Expect must be 100-continue (RFC 9110 §10.1.1)")
}

/// A body that the client sends after it receives `100 Continue`.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let context: GatewayRequestContext

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// The request's context; `nil` after `100 Continue` has been sent.
        fileprivate var context: GatewayRequestContext?

        mutating func next() async throws -> ByteBuffer? {
            if let context {
                self.context = nil
                context.sendContinue()
            }
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), context: context) }
}

extension GatewayRequestContext {
    fileprivate func sendContinue() {
        if let stream { return stream.sendContinue() }
        channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    }
}
