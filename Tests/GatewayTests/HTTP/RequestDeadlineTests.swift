import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Gateway

/// On a channel that begins with its head, as a stream of HTTP/2 does.
@Suite("The deadline of a request on a stream", .timeLimit(.minutes(1)))
struct RequestDeadlineTests {
    private let channel = EmbeddedChannel(handler: RequestDeadlineHandler(timeout: .seconds(10)))
    private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "https", authority: "a", path: "/"))

    private func advance(_ time: TimeAmount) throws {
        channel.embeddedEventLoop.advanceTime(by: time)
        try channel.throwIfErrorCaught()
    }

    @Test("runs from the head on, whatever of the body comes meanwhile")
    func missed() throws {
        try advance(.seconds(60))
        try channel.writeInbound(head)
        try advance(.seconds(9))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1)) }
    }

    @Test("is over with the request's end, however long the answer takes")
    func kept() throws {
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try advance(.seconds(60))
    }
}
