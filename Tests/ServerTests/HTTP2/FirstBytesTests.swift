import NIOCore
import NIOEmbedded
import Testing

@testable import Server

@Suite("First bytes of a connection")
struct FirstBytesTests {
    private let channel = EmbeddedChannel()
    private let connection: EventLoopPromise<Bool>

    init() throws {
        let connection = channel.eventLoop.makePromise(of: Bool.self)
        self.connection = connection
        let loop = channel.eventLoop
        try channel.pipeline.syncOperations.addHandler(
            FirstBytesHandler(limits: .init(silence: .seconds(75), head: .seconds(10)), connection: connection) {
                loop.makeSucceededFuture($0)
            })
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    private func passedOn() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += Array(buffer: buffer) }
        return bytes
    }

    @Test("A preface of HTTP/2 that arrives byte by byte is recognised at its last byte, and passed on whole")
    func split() throws {
        for byte in FirstBytes.preface.dropLast() {
            try receive([byte])
            #expect(try passedOn() == [])
        }
        try receive([0x0A])
        #expect(try passedOn() == FirstBytes.preface)
        #expect(try connection.futureResult.wait())
        try receive([1, 2])
        #expect(try passedOn() == [1, 2])
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
    }

    @Test(
        "Bytes that differ from the preface are HTTP/1.1 at the first difference, and passed on in order",
        arguments: ["G", "PO", "PRI * HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r"])
    func http1(text: String) throws {
        for byte in text.utf8 { try receive([byte]) }
        #expect(try passedOn() == Array(text.utf8))
        #expect(try connection.futureResult.wait() == false)
    }

    @Test("A connection that sends nothing is closed after 75 s, and an undecided one 10 s after its first byte")
    func deadlines() throws {
        let other = try FirstBytesTests()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(74_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
        #expect(throws: ChannelError.self) { try connection.futureResult.wait() }

        for byte in FirstBytes.preface.prefix(9) {
            try other.receive([byte])
            other.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(other.channel.isActive)
        other.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!other.channel.isActive)
        #expect(throws: ChannelError.self) { try other.connection.futureResult.wait() }
    }

    @Test("An undecided connection is closed when the client closes its side, or the server stops")
    func ended() throws {
        for event in [ChannelEvent.inputClosed, ChannelShouldQuiesceEvent()] as [any Sendable] {
            let test = try FirstBytesTests()
            try test.receive([0x50])
            test.channel.pipeline.fireUserInboundEventTriggered(event)
            #expect(!test.channel.isActive)
            #expect(throws: ChannelError.self) { try test.connection.futureResult.wait() }
        }
        connection.fail(ChannelError.eof)
    }
}
