import NIOCore
import NIOHTTP1

/// A decoder of HTTP/1.1 that ignores `Upgrade` and continues with the next request (RFC 9110 §7.8).
///
/// NIO's decoder stops permanently after a request with that field, because another protocol could follow. This
/// decoder then replaces it with a new one, which must begin exactly at the end of the request. As soon as the
/// received bytes may contain the field, they are decoded in pieces that each end where a message can end, so that no
/// piece contains the beginning of the next message.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private let progress: RequestProgress
    private var decoder: HTTPRequestDecoder
    private var search = UpgradeSearch()
    private var pieces = MessagePieces()
    /// The number of bytes at the front of the buffer that the decoder has seen and needs to see again.
    private var seen = 0

    /// Creates a decoder.
    ///
    /// - Parameter progress: The progress of the parts that come out of this decoder.
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
        // The position is between two messages: the decoder has seen at most a part of the next one's method. If the
        // first piece begins within a body, it also contains the beginning of the next message.
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

/// The position of a decoder in a request, derived from the parts that have come out of it.
///
/// Parts are followed only while bytes that may contain an `Upgrade` field are decoded; otherwise the cost is one
/// branch for each part.
final class RequestProgress {
    private(set) var isFollowed = false
    /// `true` if the last request had an `Upgrade` field.
    private(set) var isUpgrade = false
    /// `true` if the last part of the current piece was the end of a request.
    private(set) var hasEnded = false
    /// The number of missing bytes of a body with a `Content-Length`; `nil` outside of such a body.
    private(set) var remainingBody: Int?

    func follow() {
        isFollowed = true
        (isUpgrade, hasEnded, remainingBody) = (false, false, nil)
    }

    func unfollow() { isFollowed = false }

    func beginPiece() { hasEnded = false }

    func note(_ part: HTTPServerRequestPart) {
        guard isFollowed else { return }
        switch part {
        case .head(let head):
            hasEnded = false
            isUpgrade = head.headers.contains(name: "upgrade")
            remainingBody = head.headers.first(name: "content-length").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        case .body(let bytes):
            remainingBody = remainingBody.flatMap { $0 > bytes.readableBytes ? $0 - bytes.readableBytes : nil }
        case .end: (hasEnded, remainingBody) = (true, nil)
        }
    }
}

/// A divider of HTTP/1.1 bytes into pieces. Each end of a message is the end of a piece (RFC 9112 §2.1, §6, §7.1).
///
/// A message without a body, and a chunked one, end after an empty line. A message with a `Content-Length` ends with
/// its body.
struct MessagePieces {
    private var isLineEmpty = true

    /// Returns the length of the next piece, which may be all of the bytes.
    ///
    /// - Parameter body: The number of missing bytes of a body with a `Content-Length`; `nil` outside of such a body.
    mutating func next(of bytes: some Collection<UInt8>, body: Int?) -> Int {
        if let body {
            isLineEmpty = true
            return min(body, bytes.count)
        }
        var count = 0
        for byte in bytes {
            count += 1
            switch byte {
            case UInt8(ascii: "\n") where isLineEmpty: return count
            case UInt8(ascii: "\n"): isLineEmpty = true
            case UInt8(ascii: "\r"): break
            default: isLineEmpty = false
            }
        }
        return count
    }
}

/// A search for the word `upgrade` in bytes that arrive in pieces of any size.
struct UpgradeSearch {
    private static let word: StaticString = "upgrade"
    private var matched = 0

    /// Returns `true` if the word ends in these bytes.
    mutating func finds(in bytes: ByteBufferView.SubSequence) -> Bool {
        bytes.withContiguousStorageIfAvailable { finds(in: $0) } ?? true
    }

    private mutating func finds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let word = UnsafeBufferPointer(start: Self.word.utf8Start, count: Self.word.utf8CodeUnitCount)
        for byte in bytes {
            // No letter occurs twice in the word, so after a mismatch a match can begin only at the current byte.
            let letter = byte | 0x20
            matched = letter == word[matched] ? matched + 1 : letter == word[0] ? 1 : 0
            if matched == word.count {
                matched = 0
                return true
            }
        }
        return false
    }
}
