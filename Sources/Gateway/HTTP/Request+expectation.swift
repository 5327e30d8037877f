internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPTypes

extension Request {
    /// The request, its body such that reading it tells a client that waits for `100 Continue` to send it
    /// (RFC 9110 §10.1.1). A request that is refused early is not told so.
    func meetingExpectation(on channel: any Channel) throws(APIError) -> Request {
        guard let expectation = headers[.expect] else { return self }
        guard expectation.lowercased() == "100-continue" else { throw .expectationFailed }
        var request = self
        request.body = RequestBody(asyncSequence: AwaitedBody(body: body, channel: channel))
        return request
    }
}

extension APIError {
    fileprivate static let expectationFailed = APIError(
        status: .expectationFailed, name: "INVALID_ARGUMENT",
        message: "Expect can be 100-continue, and nothing else (RFC 9110 §10.1.1)")
}

/// A body that its client sends when it is told to.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// The client's; `nil` once it has been told.
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            if let channel {
                self.channel = nil
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
            }
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), channel: channel) }
}
