import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

/// Tests on a channel whose first part is the head, as on a stream of HTTP/2.
@Suite("Deadline of a request on a stream", .timeLimit(.minutes(10)))
struct RequestDeadlineTests {
    private static let largestBody = 64 * 1_024 * 1_024
    private let channel = EmbeddedChannel(
        handler: RequestDeadlineHandler(RequestLimits(timeout: .seconds(10), largestBody: largestBody)))
    private let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "https", authority: "a", path: "/"))

    private func advance(_ time: TimeAmount) throws {
        channel.embeddedEventLoop.advanceTime(by: time)
        try channel.throwIfErrorCaught()
    }

    @Test("A request's deadline runs from the head, even if a little of the body arrives")
    func missed() throws {
        try advance(.seconds(60))
        try channel.writeInbound(head)
        try advance(.seconds(9))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
        // One byte extends the deadline by 61 µs.
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1) + .microseconds(62)) }
    }

    @Test("A request's deadline is extended by one second for each 16 KiB of the body")
    func pace() throws {
        try channel.writeInbound(head)
        for _ in 0..<60 {
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 32 * 1_024)))
            try advance(.seconds(2))
        }
        try advance(.seconds(9))
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1)) }
    }

    @Test("A trickle of bytes extends a request's deadline by little")
    func trickle() throws {
        try channel.writeInbound(head)
        for _ in 0..<10 {
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1_024)))
            try advance(.milliseconds(900))
        }
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(2)) }
    }

    @Test("A request's deadline is not extended beyond the largest body, even for 16 GiB")
    func endless() throws {
        try channel.writeInbound(head)
        let bytes = ByteBuffer(repeating: 1, count: Self.largestBody)
        for _ in 0..<256 { try channel.writeInbound(HTTPRequestPart.body(bytes)) }
        // At 16 KiB a second the largest body takes 4,096 s.
        try advance(.seconds(4_096 + 9))
        try channel.writeInbound(HTTPRequestPart.body(bytes))
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1)) }
    }

    @Test("The deadline of the next request starts from its own head, without earlier extensions")
    func next() throws {
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 160 * 1_024)))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try advance(.seconds(60))
        try channel.writeInbound(head)
        try advance(.seconds(9))
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1)) }
    }

    @Test("Each request has its own deadline, after short and long requests alike")
    func inTurn() throws {
        for pieces in [0, 10_000, 0, 1] {
            try channel.writeInbound(head)
            for _ in 0..<pieces {
                try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 16 * 1_024)))
            }
            if pieces > 1 { try advance(.seconds(11)) }
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try advance(.seconds(3))
        }
        try channel.writeInbound(head)
        try advance(.seconds(9))
        #expect(throws: RequestTimedOut.self) { try advance(.seconds(1)) }
    }

    @Test("A request's deadline ends with the end of the request, however long the answer takes")
    func kept() throws {
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try advance(.seconds(60))
    }
}
