import NIOCore
import NIOEmbedded
import Signals
import TestBasics
import Testing

@testable import Server

@Suite("Handler of HTTP/2 connections")
struct HTTP2ConnectionHandlerTests {
    private let channel = EmbeddedChannel()
    private let work = HTTP2StreamWork()
    private let client = AwaitingCaller()
    private let socket = SocketDouble()

    init() throws {
        let handler = try makeHTTP2Handler(on: channel, client: client, work: work)
        try channel.pipeline.syncOperations.addHandlers(socket, handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// Returns `true` if the connection is closed. It closes in the loop's turn after the last bytes were written.
    private func isClosed() -> Bool {
        channel.embeddedEventLoop.run()
        return !channel.isActive
    }

    private func written() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case .byteBuffer(let buffer) = try channel.readOutbound(as: IOData.self) {
            bytes += Array(buffer: buffer)
        }
        return bytes
    }

    private static let dataOnNoStream = HTTP2Frames.preface + HTTP2Frames.frame(.data, [0x61])

    @Test("An HTTP/2 connection is closed after the GOAWAY of a connection error, and answers nothing in between")
    func connectionError() throws {
        try receive(Self.dataOnNoStream)
        var bytes = try written()
        #expect(HTTP2Frames.takeGoAwayCode(from: &bytes) == 1)
        #expect(bytes.isEmpty)
        try receive(HTTP2Frames.ping())
        #expect(try written() == [])
        #expect(isClosed())
    }

    @Test("Bytes that are not HTTP/2 are answered with PROTOCOL_ERROR, and the connection is closed")
    func otherProtocol() throws {
        try receive(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        var bytes = try written()
        #expect(HTTP2Frames.takeGoAwayCode(from: &bytes) == 1)
        #expect(isClosed())
    }

    @Test("An HTTP/2 connection whose GOAWAY cannot be written is closed within a second")
    func unwritable() throws {
        socket.holdsWrites = true
        try receive(Self.dataOnNoStream)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(249))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("A flood of HTTP/2 frames is answered with ENHANCE_YOUR_CALM, and the connection is closed")
    func flood() throws {
        try receive(HTTP2Frames.preface + (0..<2_000).flatMap { _ in HTTP2Frames.windowUpdate(by: 1) })
        var bytes = try written()
        #expect(HTTP2Frames.takeGoAwayCode(from: &bytes) == 11)
        #expect(isClosed())
    }

    @Test("An idle HTTP/2 connection is ended by two GOAWAY frames, the second with the last stream")
    func idle() throws {
        try receive(HTTP2Frames.preface)
        channel.embeddedEventLoop.advanceTime(by: .seconds(75))
        var bytes = try written()
        #expect(
            HTTP2Frames.take(from: &bytes) { $0.type == .goAway ? $0.payload : nil } == [
                127, 255, 255, 255, 0, 0, 0, 0,
            ])
        #expect(HTTP2Frames.take(from: &bytes) { $0.type == .ping ? $0.flags : nil } == 0)
        #expect(channel.isActive)
        try receive(HTTP2Frames.frame(.ping, flags: 1, Array("Pushgate".utf8)))
        bytes = try written()
        #expect(HTTP2Frames.take(from: &bytes) { $0.type == .goAway ? $0.payload : nil } == [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(isClosed())
    }

    @Test("An HTTP/2 connection is closed when the client closes its side")
    func inputClosed() throws {
        try receive(HTTP2Frames.preface)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(isClosed())
    }

    @Test("A client with a complete request over HTTP/2 has gone when it closes its side, and is still answered")
    func gone() throws {
        try receive(HTTP2Frames.preface + HTTP2Frames.request("POST", "/", on: 1, isWhole: true))
        #expect(client.isAwaiting)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!client.isAwaiting)
        #expect(!isClosed(), "the request is answered")
    }

    @Test("An HTTP/2 connection is not read while the client does not read")
    func backPressure() throws {
        channel.isWritable = false
        channel.read()
        #expect(socket.reads == 0)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(socket.reads == 1)
    }

    @Test("An HTTP/2 connection is not read while 100 requests of closed streams are in progress")
    func abandonedWork() throws {
        for _ in 0..<HTTP2ConnectionHandler.maximumAbandoned { work.begin() }
        channel.read()
        #expect(socket.reads == 0)
        work.end()
        channel.embeddedEventLoop.run()
        #expect(socket.reads == 1)
        // One more request, of an open stream.
        work.begin()
        try receive(HTTP2Frames.preface + HTTP2Frames.request("GET", "/", on: 1, isWhole: true))
        channel.read()
        #expect(socket.reads == 2)
    }
}

/// A handler in place of the socket, which counts the reads that reach it.
private final class SocketDouble: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var reads = 0
    var holdsWrites = false

    func read(context: ChannelHandlerContext) {
        reads += 1
        context.read()
    }

    func flush(context: ChannelHandlerContext) {
        if !holdsWrites { context.flush() }
    }
}
