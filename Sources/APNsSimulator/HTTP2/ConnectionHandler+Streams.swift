import NIOCore
import NIOHPACK
import NIOHTTP2
import SimulatorTools

/// Receives requests and sends answers.
extension ConnectionHandler {
    func receiveHeaders(
        _ content: HTTP2Frame.FramePayload.Headers, on stream: HTTP2StreamID, context: ChannelHandlerContext
    ) {
        if let plan = state.receiveHeaders(APNsRequest(content.headers), on: stream) {
            carryOut(plan, on: stream, context: context)
        }
        if content.endStream { respond(on: stream, context: context) }
    }

    func receiveData(
        _ content: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID, context: ChannelHandlerContext
    ) {
        guard case .byteBuffer(let buffer) = content.data else { return }
        let isTooLarge = state.receiveBody(buffer.readableBytesView, on: stream)
        if content.endStream {
            respond(on: stream, context: context)
        } else if isTooLarge {
            respond(on: stream, context: context, refusingTheRest: true)
        }
    }

    private func respond(on stream: HTTP2StreamID, context: ChannelHandlerContext, refusingTheRest: Bool = false) {
        guard let response = state.respond(on: stream, with: responder) else { return }
        guard response.delay > .zero else {
            return write(response, on: stream, context: context, refusingTheRest: refusingTheRest)
        }
        let answer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(response.delay)) {
            self.write(response, on: stream, context: context, refusingTheRest: refusingTheRest)
            self.flush(context: context)
        }
        state.holdBack(answer, on: stream)
    }

    private func write(
        _ response: APNsResponse, on stream: HTTP2StreamID, context: ChannelHandlerContext, refusingTheRest: Bool
    ) {
        announceStreamLimit(with: response, context: context)
        switch state.markAnswered(stream) {
        case .whole: writeWhole(response, on: stream, context: context)
        case .cutOff(let kind):
            send(.headers(.init(headers: response.headers)), on: stream, context: context)
            return breakConnection(kind, context: context)
        case .replacedByReset(let code): return reset(stream, code, context: context)
        }
        if refusingTheRest { resetWithoutBlame(stream, context: context) }
    }

    /// Sends an answer. END_STREAM is on the HEADERS frame if there is no body and on the DATA frame otherwise, as at
    /// Apple. An empty DATA frame would make some clients reset the stream.
    private func writeWhole(_ response: APNsResponse, on stream: HTTP2StreamID, context: ChannelHandlerContext) {
        let body = response.body
        send(.headers(.init(headers: response.headers, endStream: body.isEmpty)), on: stream, context: context)
        if !body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: body)
            send(.data(.init(data: .byteBuffer(buffer), endStream: true)), on: stream, context: context)
        }
    }

    /// Resets a stream with NO_ERROR, as RFC 9113 §8.1 requires if the answer is complete before the request is.
    ///
    /// The flush comes first, because a reset discards frames of the stream that NIO still holds.
    private func resetWithoutBlame(_ stream: HTTP2StreamID, context: ChannelHandlerContext) {
        context.flush()
        send(.rstStream(.noError), on: stream, context: context)
    }

    func send(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }

    func streamClosed(_ event: StreamClosedEvent) {
        let wasWaiting = state.close(event.streamID)
        if wasWaiting, event.reason != nil { responder.history.count { $0.streamsReset += 1 } }
    }
}

extension APNsRequest {
    /// Creates a request without a body from the fields of a HEADERS frame.
    init(_ headers: HPACKHeaders) {
        self.init(method: "", path: "", headers: [])
        self.headers.reserveCapacity(headers.count)
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            default: if !name.hasPrefix(":") { self.headers.append((name, value)) }
            }
        }
    }
}
