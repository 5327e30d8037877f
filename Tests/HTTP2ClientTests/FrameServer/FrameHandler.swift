import NIOCore
import NIOTLS

/// A connection of a ``FrameServer``, for its script.
struct FrameConnection: Sendable {
    /// The connection's number, from 1.
    let number: Int
    let channel: any Channel

    func send(_ frames: Frame...) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: frames.flatMap(\.bytes)), promise: nil)
    }

    /// Closes the connection after everything was sent.
    func close() { channel.close(promise: nil) }
}

/// A handler that reads frames, and gives the answers that every server gives.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let record: FrameRecord
    private let settings: Frame
    private let script: FrameServer.Script
    private var reader = FrameReader()
    private var number = 0

    init(_ record: FrameRecord, _ settings: Frame, _ script: @escaping FrameServer.Script) {
        self.record = record
        self.settings = settings
        self.script = script
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        number = record.opened(context.channel)
        FrameConnection(number: number, channel: context.channel).send(settings)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.receive(unwrapInboundIn(data).readableBytesView)
        while let frame = reader.next() {
            record.add(frame, of: number)
            if !record.isSilent { answer(frame, FrameConnection(number: number, channel: context.channel)) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { if number > 0 { record.noteClosed() } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ frame: Frame, _ connection: FrameConnection) {
        if frame.kind == .settings || frame.kind == .ping, !frame.isAcknowledgement {
            connection.send(Frame(kind: frame.kind, flags: 1, payload: frame.kind == .ping ? frame.payload : []))
        }
        script(frame, connection)
    }
}
