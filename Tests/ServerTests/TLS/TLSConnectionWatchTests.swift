import NIOCore
import NIOEmbedded
import NIOTLS
import TestDoubles
import Testing

@testable import Server

@Suite("Time limits of a TLS connection", .timeLimit(.minutes(10)))
struct TLSConnectionWatchTests {
    private static let limits = TLSConnectionLimits(handshake: .seconds(10))
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handler: TLSConnectionWatch(Self.limits, .silent))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func shakeHands() {
        channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2"))
    }

    private func quiesce() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    @Test("A TLS connection is closed if its handshake takes 10 s")
    func handshake() {
        advance(.milliseconds(9_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("A TLS connection with a completed handshake is closed only when idle")
    func silence() {
        shakeHands()
        advance(.hours(1))
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.all)
        #expect(!channel.isActive)
    }

    @Test("A TLS connection is closed 8 s after the server starts to stop")
    func shutdown() {
        shakeHands()
        quiesce()
        advance(.milliseconds(7_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("A TLS connection without a completed handshake is closed at once when the server stops")
    func earlyShutdown() {
        quiesce()
        #expect(!channel.isActive)
    }
}
