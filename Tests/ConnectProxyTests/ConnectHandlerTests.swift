import NIOCore
import NIOEmbedded
import Testing

@testable import ConnectProxy

@Suite("Start of a connection to the proxy", .timeLimit(.minutes(10)))
struct ConnectHandlerTests {
    private static let request = "CONNECT fcm.googleapis.com:443 HTTP/1.1\r\nHost: fcm.googleapis.com\r\n\r\n"

    private let channel = EmbeddedChannel()
    private let tunnel: EventLoopPromise<String>

    init() throws {
        tunnel = channel.eventLoop.makePromise()
        try channel.pipeline.syncOperations.addHandler(HalfClosing())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func begin(_ join: EventLoopFuture<String>? = nil) throws {
        let join = join ?? channel.eventLoop.makeSucceededFuture("joined")
        try channel.pipeline.syncOperations.addHandler(
            ConnectHandler(destinations: .google, timeout: .seconds(10), tunnel: tunnel) { join })
    }

    private func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    private func sent() throws -> String {
        var text = ""
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
        return text
    }

    /// Returns the bytes that were passed on to the next handlers.
    private func passedOn() throws -> String {
        var text = ""
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
        return text
    }

    @Test("The proxy's handler gives way to the tunnel, and passes on the bytes after CONNECT in order")
    func tunnels() throws {
        let join = channel.eventLoop.makePromise(of: String.self)
        try begin(join.futureResult)
        try receive(Self.request + "a")
        #expect(try sent() == "HTTP/1.1 200 Connection established\r\n\r\n")
        try receive("b")
        #expect(try passedOn() == "")
        join.succeed("joined")
        try receive("c")
        #expect(try passedOn() == "abc")
        #expect(try tunnel.futureResult.wait() == "joined")
        #expect(throws: (any Error).self) {
            try channel.pipeline.syncOperations.handler(type: ConnectHandler<String>.self)
        }
        advance(.hours(1))
        #expect(channel.isActive)
    }

    @Test("A connection is closed if its tunnel cannot be made")
    func noTunnel() throws {
        try begin(channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed))
        try receive(Self.request)
        #expect(!channel.isActive)
        _ = try? channel.finish()
        #expect(throws: ChannelError.self) { try tunnel.futureResult.wait() }
    }

    @Test("A connection without a request is closed after 10 s")
    func silent() throws {
        try begin()
        advance(.milliseconds(9_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
        #expect(try sent() == "")
    }

    @Test("An incomplete request is answered with 408 after 10 s, and closed after another 10 s")
    func slow() throws {
        try begin()
        for _ in 0..<9 {
            advance(.seconds(1))
            try receive("C")
        }
        advance(.seconds(1))
        #expect(try sent().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        try receive(Self.request)
        #expect(try sent() == "")
        #expect(try passedOn() == "")
        advance(.seconds(10))
        #expect(!channel.isActive)
    }

    @Test("A refused connection is not read further, and is closed when the client is done")
    func refused() throws {
        try begin()
        try receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try sent().hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"))
        try receive(Self.request)
        #expect(try sent() == "" && passedOn() == "")
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test("A connection before its request is closed when the client closes its side, or the server stops")
    func ended() throws {
        for event in [ChannelEvent.inputClosed, ChannelShouldQuiesceEvent()] as [any Sendable] {
            let test = try ConnectHandlerTests()
            try test.begin()
            try test.receive("CONNECT ")
            test.channel.pipeline.fireUserInboundEventTriggered(event)
            #expect(!test.channel.isActive)
            _ = try? test.channel.finish()
            #expect(throws: ChannelError.self) { try test.tunnel.futureResult.wait() }
        }
        tunnel.fail(ChannelError.eof)
    }
}

/// A handler for half-closing, which sockets support and an embedded channel does not.
private final class HalfClosing: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}
