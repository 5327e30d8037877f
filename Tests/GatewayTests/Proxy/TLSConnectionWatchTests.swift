import NIOCore
import NIOEmbedded
import NIOTLS
import TestDoubles
import Testing

@testable import Gateway

@Suite("A TLS connection", .timeLimit(.minutes(1)))
struct TLSConnectionWatchTests {
    private static let limits = TLSConnectionWatch.Limits(
        handshake: .seconds(10), silence: .minutes(5), shutdown: .seconds(8))
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

    @Test("is closed when its handshake takes too long, and not a moment earlier")
    func handshake() {
        advance(.milliseconds(9_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("with a handshake behind it is closed when nothing has moved for long, and never before")
    func silence() {
        shakeHands()
        advance(.hours(1))
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(IdleStateHandler.IdleStateEvent.all)
        #expect(!channel.isActive)
    }

    @Test("may go on for a while when the server stops, and is closed then")
    func shutdown() {
        shakeHands()
        quiesce()
        advance(.milliseconds(7_999))
        #expect(channel.isActive)
        advance(.milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("is closed at once when the server stops before the handshake is done")
    func earlyShutdown() {
        quiesce()
        #expect(!channel.isActive)
    }
}
