import NIOCore
import NIOEmbedded
import Signals
import TestDoubles
import Testing

@testable import Server

@Suite("Handler of HTTP/2 connections")
struct HTTP2ConnectionHandlerTests {
    private let channel: EmbeddedChannel
    private let work = HTTP2StreamWork()
    private let presence = HTTP2ClientPresence()
    private let reads = ReadCounter()

    init() throws {
        let loop = EmbeddedEventLoop()
        let handler = HTTP2ConnectionHandler(.init(), work, presence, at: loop.now, logger: .silent)
        channel = EmbeddedChannel(handlers: [reads, handler], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// Returns the bytes that were passed on to NIO's handler.
    private func passedOn() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += Array(buffer: buffer) }
        return bytes
    }

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

    @Test("An HTTP/2 connection is closed after NIO's GOAWAY, and passes on nothing in between")
    func connectionError() throws {
        try receive(HTTP2Frames.preface)
        #expect(try passedOn() == HTTP2Frames.preface)
        let goAway = HTTP2Frames.frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 1])
        channel.write(IOData.byteBuffer(ByteBuffer(bytes: goAway)), promise: nil)
        try receive(HTTP2Frames.ping())
        #expect(try passedOn() == [])
        #expect(channel.isActive)
        channel.flush()
        #expect(isClosed())
        #expect(try written() == goAway)
    }

    @Test("An HTTP/2 connection whose GOAWAY cannot be written is closed within a second")
    func unwritable() throws {
        channel.write(
            IOData.byteBuffer(ByteBuffer(bytes: HTTP2Frames.frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 1]))), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(399))
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
        let caller = AwaitingCaller()
        presence.watch(caller)
        try receive(HTTP2Frames.preface + HTTP2Frames.request("POST", "/", on: 1, isWhole: true))
        #expect(caller.isAwaiting)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!caller.isAwaiting)
        #expect(!isClosed(), "the request is answered")
    }

    @Test("An HTTP/2 connection is not read while the client does not read")
    func backPressure() throws {
        channel.isWritable = false
        channel.read()
        #expect(reads.count == 0)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(reads.count == 1)
    }

    @Test("An HTTP/2 connection is not read while 100 requests of closed streams are in progress")
    func abandonedWork() throws {
        for _ in 0..<HTTP2ConnectionHandler.maximumAbandoned { work.begin() }
        channel.read()
        #expect(reads.count == 0)
        work.end()
        channel.embeddedEventLoop.run()
        #expect(reads.count == 1)
        // One more request, of an open stream.
        work.begin()
        try receive(HTTP2Frames.preface + HTTP2Frames.request("GET", "/", on: 1, isWhole: true))
        channel.read()
        #expect(reads.count == 2)
    }
}

/// A handler that counts the reads that reach the socket.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
