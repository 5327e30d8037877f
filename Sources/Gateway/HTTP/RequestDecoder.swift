internal import NIOCore
internal import NIOHTTP1

/// A decoder of HTTP/1.1 that ignores `Upgrade` and goes on with the next request (RFC 9110 §7.8).
///
/// NIO's decoder stops for good behind a request with that field: what follows would be another protocol's. Here a new
/// one takes over, which has to begin exactly where the request ended. As soon as the field may be among the bytes, they
/// are decoded in pieces each of which ends where a message can end, so that no piece holds the beginning of the next.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private let progress: RequestProgress
    private var decoder: HTTPRequestDecoder
    private var search = UpgradeSearch()
    private var pieces = MessagePieces()
    /// Bytes at the front of the buffer that the decoder has seen and needs to see again.
    private var seen = 0

    /// - Parameter progress: follows the parts that come out of this decoder.
    init(limits: NIOHTTPDecoderLimitConfiguration, progress: RequestProgress) {
        self.limits = limits
        self.progress = progress
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        if !progress.isFollowed, search.finds(in: buffer.readableBytesView.dropFirst(seen)) { follow() }
        if progress.isFollowed {
            try decodePieces(of: &buffer, context)
        } else {
            _ = try decoder.decode(context: context, buffer: &buffer)
            seen = buffer.readableBytes
        }
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        if buffer.readableBytes > seen { _ = try decode(context: context, buffer: &buffer) }
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }
}

// MARK: Requests with Upgrade

extension RequestDecoder {
    private func follow() {
        progress.follow()
        pieces = MessagePieces()
    }

    private func decodePieces(of buffer: inout ByteBuffer, _ context: ChannelHandlerContext) throws {
        while buffer.readableBytes > seen {
            let next = pieces.next(of: buffer.readableBytesView.dropFirst(seen), body: progress.remainingBody)
            try decode(seen + next, of: &buffer, context)
            if progress.hasEnded, progress.isUpgrade { replaceDecoder(&buffer, context) }
        }
        // Between two messages: of the next one nothing has been seen, or no more than a part of its method. A first piece
        // that begins within a body has the beginning of the message behind it.
        if progress.hasEnded, seen == 0 {
            progress.unfollow()
            search = UpgradeSearch()
        }
    }

    private func decode(_ count: Int, of buffer: inout ByteBuffer, _ context: ChannelHandlerContext) throws {
        guard var piece = buffer.getSlice(at: buffer.readerIndex, length: count) else { return }
        progress.beginPiece()
        _ = try decoder.decode(context: context, buffer: &piece)
        buffer.moveReaderIndex(forwardBy: count - piece.readableBytes)
        seen = piece.readableBytes
    }

    private func replaceDecoder(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) {
        buffer.moveReaderIndex(forwardBy: seen)
        seen = 0
        decoder.decoderRemoved(context: context)
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
        decoder.decoderAdded(context: context)
    }
}
