import CNGHTTP2
import GRPC
import NIOCore

/// The events of a session while it reads or writes. They may submit frames, but neither read nor write.
protocol HTTP2SessionDelegate: AnyObject {
    /// Reports a request.
    ///
    /// - Parameter isWhole: `true` if the request has no body.
    func didOpen(_ stream: HTTP2Stream, _ head: HTTP2Fields, isWhole: Bool)
    func didReceive(_ bytes: ByteBuffer, on stream: HTTP2Stream)
    /// Reports that bytes of a response have become a frame, because the client's windows have room for them.
    func didSend(_ count: Int)
    func didClose(_ stream: HTTP2Stream)
}

/// The server's side of one HTTP/2 connection by nghttp2, without I/O: bytes in, bytes out, and events.
///
/// nghttp2 checks each frame against RFC 9113, obeys the client's SETTINGS and windows, and answers PING and SETTINGS.
/// It opens the client's windows by the bytes that are consumed here.
final class HTTP2ServerSession {
    /// The maximum size of a head, by the count of RFC 9113 §6.5.2.
    static let maximumHeadBytes = 16 * 1024
    private static let fieldOverhead = 32

    private let session: OpaquePointer
    private weak var delegate: (any HTTP2SessionDelegate)?
    /// A function that sends what was submitted outside of a turn of the connection.
    var onFlush: (() -> Void)?
    /// The open streams. nghttp2 reads their responses until it has closed the stream.
    private(set) var streams: [Int32: HTTP2Stream] = [:]
    /// The head that is arriving.
    private var head = HTTP2Fields()
    private var headBytes = 0
    /// The number of DATA frames that carried nothing but padding.
    private var paddingFrames = 0

    /// Makes a session.
    ///
    /// - Parameter maximumStreams: The maximum number of open streams.
    /// - Returns: `nil` if memory is short.
    init?(maximumStreams: Int) {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHead)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onField)
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, onInvalidField)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, onFrameNotSent)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0, let option else { return nil }
        defer { nghttp2_option_del(option) }
        nghttp2_option_set_no_auto_window_update(option, 1)
        // Closed streams would be kept for the priorities of RFC 7540.
        nghttp2_option_set_no_closed_streams(option, 1)
        // A space around a value harms nobody.
        nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1)
        CNGHTTP2_option_set_no_reset_limit(option)
        var session: OpaquePointer?
        guard nghttp2_session_server_new2(&session, callbacks, nil, option) == 0, let session else { return nil }
        self.session = session
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        var settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: UInt32(maximumStreams)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(Self.maximumHeadBytes)),
        ]
        nghttp2_submit_settings(session, Self.noFlags, &settings, settings.count)
    }

    deinit { nghttp2_session_del(session) }

    private static var noFlags: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

    /// Sets the receiver of the events.
    func tell(_ delegate: any HTTP2SessionDelegate) { self.delegate = delegate }

    /// Processes bytes from the client.
    ///
    /// - Returns: The error that makes the connection useless; `nil` if there is none.
    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2ConnectionEnd? {
        let result = nghttp2_session_mem_recv(
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        guard result < 0 else { return nil }
        return result == Int(NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue) ? .connectionError : .tooManyFrames
    }

    /// Appends bytes for the client until there are none, or the buffer has the given number.
    ///
    /// - Returns: The error that makes the connection useless; `nil` if there is none.
    func write(into buffer: inout ByteBuffer, upTo count: Int) -> HTTP2ConnectionEnd? {
        var bytes: UnsafePointer<UInt8>?
        while buffer.readableBytes < count {
            let length = nghttp2_session_mem_send(session, &bytes)
            if length < 0 { return .connectionError }
            guard length > 0, let bytes else { return nil }
            buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: length))
        }
        return nil
    }

    /// Returns the number of DATA frames with nothing but padding since the last call.
    func takePaddingFrames() -> Int {
        defer { paddingFrames = 0 }
        return paddingFrames
    }

    /// Ends all streams, because the connection is closed.
    func closeAll() {
        let open = streams.values
        streams = [:]
        for stream in open { close(stream) }
    }

    private func close(_ stream: HTTP2Stream) {
        stream.close()
        delegate?.didClose(stream)
    }
}

// MARK: The frames of a stream

extension HTTP2ServerSession {
    /// Submits the head of a response.
    ///
    /// - Parameter isLast: `true` if nothing follows.
    func submitHead(_ fields: HTTP2Fields, on stream: Int32, isLast: Bool) {
        HTTP2FieldBlock.with(fields) { block in
            var body = nghttp2_data_provider(source: nghttp2_data_source(fd: 0), read_callback: readBody)
            if isLast {
                nghttp2_submit_response(session, stream, block.baseAddress, block.count, nil)
            } else {
                nghttp2_submit_response(session, stream, block.baseAddress, block.count, &body)
            }
        }
    }

    /// Submits an informational head, such as `100 Continue`.
    func submitInformation(_ fields: HTTP2Fields, on stream: Int32) {
        HTTP2FieldBlock.with(fields) { block in
            _ = nghttp2_submit_headers(
                session, Self.noFlags, stream, nil, block.baseAddress, block.count, nil)
        }
    }

    /// Continues with a response whose bytes have been awaited.
    func resume(_ stream: Int32) { nghttp2_session_resume_data(session, stream) }

    /// Submits a reset. The end of the stream is reported after it has been written.
    func reset(_ stream: Int32, code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(session, Self.noFlags, stream, code.rawValue)
    }

    /// Opens the connection's window by received bytes.
    func consume(_ count: Int) { nghttp2_session_consume_connection(session, count) }

    /// Opens a stream's window by received bytes.
    func consume(_ count: Int, on stream: Int32) { nghttp2_session_consume_stream(session, stream, count) }
}

// MARK: Events from nghttp2

extension HTTP2ServerSession {
    fileprivate func beginHead(_ frame: nghttp2_frame) {
        head = HTTP2Fields()
        headBytes = 0
    }

    /// Takes a field of a head.
    ///
    /// - Returns: `false` if the head is too large.
    fileprivate func takeField(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ frame: nghttp2_frame
    ) -> Bool {
        headBytes += name.count + value.count + Self.fieldOverhead
        guard headBytes <= Self.maximumHeadBytes else {
            reset(frame.hd.stream_id, code: .enhanceYourCalm)
            return false
        }
        // Nobody reads trailers.
        if frame.isRequest {
            head.add(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
        }
        return true
    }

    fileprivate func takeData(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
        consume(bytes.count)
        guard let stream = streams[id] else { return }
        delegate?.didReceive(ByteBuffer(bytes: bytes), on: stream)
    }

    fileprivate func take(_ frame: nghttp2_frame) {
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue:
            if frame.isRequest { open(frame) } else if frame.endsStream { streams[frame.hd.stream_id]?.endInput() }
        case NGHTTP2_DATA.rawValue:
            if frame.endsStream {
                streams[frame.hd.stream_id]?.endInput()
            } else if frame.hd.length > 0, frame.hd.length == frame.data.padlen {
                paddingFrames += 1
            }
        default: break
        }
    }

    private func open(_ frame: nghttp2_frame) {
        let stream = HTTP2Stream(frame.hd.stream_id, of: self, isWhole: frame.endsStream)
        streams[stream.id] = stream
        let fields = head
        head = HTTP2Fields()
        delegate?.didOpen(stream, fields, isWhole: frame.endsStream)
    }

    fileprivate func noteSent(_ frame: nghttp2_frame) {
        let type = UInt32(frame.hd.type)
        guard type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue, frame.endsStream else { return }
        streams[frame.hd.stream_id]?.outputLeft()
    }

    /// Resets a stream whose head cannot be sent, because it is too large for instance.
    fileprivate func noteNotSent(_ frame: nghttp2_frame, _ error: Int32) {
        let ended = [NGHTTP2_ERR_STREAM_CLOSED, NGHTTP2_ERR_STREAM_CLOSING, NGHTTP2_ERR_STREAM_SHUT_WR].map(\.rawValue)
        guard UInt32(frame.hd.type) == NGHTTP2_HEADERS.rawValue, !ended.contains(error),
            error != NGHTTP2_ERR_SESSION_CLOSING.rawValue
        else { return }
        reset(frame.hd.stream_id, code: .internalError)
    }

    fileprivate func noteClosed(_ id: Int32) {
        if let stream = streams.removeValue(forKey: id) { close(stream) }
    }

    /// Copies the next bytes of a response, and submits its trailers after the last ones.
    fileprivate func read(
        into buffer: UnsafeMutableRawBufferPointer, of id: Int32, _ flags: inout UInt32
    ) -> Int {
        guard let stream = streams[id] else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let count = stream.read(into: buffer)
        if count > 0 { delegate?.didSend(count) }
        switch stream.ending {
        case nil: return count > 0 ? count : Int(NGHTTP2_ERR_DEFERRED.rawValue)
        case .plain: flags |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        case .trailers(let fields):
            flags |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) | UInt32(NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue)
            HTTP2FieldBlock.with(fields) { block in
                _ = nghttp2_submit_trailer(session, id, block.baseAddress, block.count)
            }
        }
        return count
    }
}

extension nghttp2_frame {
    fileprivate var endsStream: Bool { UInt32(hd.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 }

    /// `true` for the head of a request, `false` for its trailers and for other frames.
    fileprivate var isRequest: Bool {
        UInt32(hd.type) == NGHTTP2_HEADERS.rawValue && headers.cat == NGHTTP2_HCAT_REQUEST
    }
}

private func owner(_ context: UnsafeMutableRawPointer?) -> HTTP2ServerSession? {
    context.map { Unmanaged<HTTP2ServerSession>.fromOpaque($0).takeUnretainedValue() }
}

private func onBeginHead(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let frame { owner(context)?.beginHead(frame.pointee) }
    return 0
}

private func onField(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?, _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let session = owner(context) else { return 0 }
    let isTaken = session.takeField(
        UnsafeBufferPointer(start: name, count: nameLength), UnsafeBufferPointer(start: value, count: valueLength),
        frame.pointee)
    return isTaken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
}

/// Makes a request with an invalid field malformed (RFC 9113 §8.2.1). Without this, nghttp2 drops the field alone.
private func onInvalidField(
    _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _: UnsafePointer<UInt8>?, _: Int,
    _: UnsafePointer<UInt8>?, _: Int, _: UInt8, _: UnsafeMutableRawPointer?
) -> Int32 { NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }

private func onData(
    _: OpaquePointer?, _: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    owner(context)?.takeData(UnsafeBufferPointer(start: bytes, count: length), on: stream)
    return 0
}

private func onFrame(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let frame { owner(context)?.take(frame.pointee) }
    return 0
}

private func onFrameSent(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let frame { owner(context)?.noteSent(frame.pointee) }
    return 0
}

private func onFrameNotSent(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ error: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let frame { owner(context)?.noteNotSent(frame.pointee, error) }
    return 0
}

private func onStreamClose(
    _: OpaquePointer?, _ stream: Int32, _: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    owner(context)?.noteClosed(stream)
    return 0
}

private func readBody(
    _: OpaquePointer?, _ stream: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let flags, let session = owner(context) else {
        return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    return session.read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: length), of: stream, &flags.pointee)
}
