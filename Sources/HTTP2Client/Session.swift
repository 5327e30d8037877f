import CNGHTTP2
import NIOCore

/// The events of a session while it reads or writes.
protocol SessionDelegate: AnyObject {
    /// Reports that an exchange's stream has ended.
    ///
    /// - Parameter errorCode: a code of RFC 9113 §7; 0 if the response is complete.
    func session(_ session: Session, didClose exchange: Exchange, errorCode: UInt32)
    /// Reports that the server ends the connection, and has not acted on streams after the last one that it names.
    func session(_ session: Session, didReceiveGoAway text: String, errorCode: UInt32)
}

/// The client's side of one HTTP/2 connection by nghttp2, without I/O: bytes in, bytes out, and events.
///
/// nghttp2 checks each frame against RFC 9113, obeys the server's SETTINGS and windows, updates the client's own
/// windows, and answers PING and SETTINGS.
final class Session {
    private let session: OpaquePointer
    private let responseLimit: Int
    private weak var delegate: (any SessionDelegate)?
    /// The exchanges with a stream. nghttp2 reads their bodies until it has closed the stream.
    private(set) var exchanges: [Int32: Exchange] = [:]

    /// Makes a session.
    ///
    /// - Parameter responseLimit: the greatest number of bytes in a response's body.
    /// - Returns: `nil` if memory is short.
    init?(responseLimit: Int, delegate: any SessionDelegate) {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        var session: OpaquePointer?
        guard nghttp2_session_client_new(&session, callbacks, nil) == 0, let session else { return nil }
        self.session = session
        self.responseLimit = responseLimit
        self.delegate = delegate
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        var settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        ]
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &settings, settings.count)
    }

    deinit { nghttp2_session_del(session) }

    /// The number of concurrent streams that the server allows; `nil` before its SETTINGS.
    var streamLimit: Int? {
        let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return limit == .max ? nil : Int(limit)
    }

    /// `true` if the session accepts new requests.
    var isOpen: Bool { nghttp2_session_check_request_allowed(session) != 0 }

    /// `true` if there is nothing left to read or write.
    var isFinished: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

    /// `true` if there is data to write, and a window for it.
    var wantsWrite: Bool { nghttp2_session_want_write(session) != 0 }

    /// Adds a request to the bytes of the next writes.
    ///
    /// - Returns: `false` if the session accepts no more: its stream numbers are used up, or it has received GOAWAY.
    func submit(_ exchange: Exchange) -> Bool {
        let stream = HeaderBlock.withFields(of: exchange.request) { fields in
            let context = Unmanaged.passUnretained(exchange).toOpaque()
            guard !exchange.request.body.isEmpty else {
                return nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, nil, context)
            }
            var body = nghttp2_data_provider(
                source: nghttp2_data_source(ptr: context), read_callback: readBody)
            return nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &body, context)
        }
        guard stream > 0 else { return false }
        exchange.streamID = stream
        exchanges[stream] = exchange
        return true
    }

    /// Ends a stream before its response is complete. The delegate learns of its end during the next write.
    func cancel(_ exchange: Exchange) {
        guard let stream = exchange.streamID, exchanges[stream] != nil else { return }
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
    }

    func ping() { nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Sends GOAWAY. The connection ends after its streams.
    func terminate() { nghttp2_session_terminate_session(session, UInt32(NGHTTP2_NO_ERROR.rawValue)) }

    /// Processes bytes from the server.
    ///
    /// - Returns: a description of the error that makes the connection useless; `nil` if there is none.
    func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
        let count = nghttp2_session_mem_recv(
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return count < 0 ? String(cString: nghttp2_strerror(Int32(count))) : nil
    }

    /// Appends bytes for the server until there are none, or the buffer has the given number.
    func write(into buffer: inout ByteBuffer, upTo count: Int) {
        var bytes: UnsafePointer<UInt8>?
        while buffer.readableBytes < count {
            let length = nghttp2_session_mem_send(session, &bytes)
            guard length > 0, let bytes else { return }
            buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: length))
        }
    }

    static let refusedStream = UInt32(NGHTTP2_REFUSED_STREAM.rawValue)

    /// Returns the name of an error code (RFC 9113 §7).
    static func name(of errorCode: UInt32) -> String { String(cString: nghttp2_http2_strerror(errorCode)) }

    // MARK: Events from nghttp2

    fileprivate func takeHeader(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, stream: Int32
    ) {
        guard let exchange = exchanges[stream] else { return }
        guard name.first == UInt8(ascii: ":") else {
            if let kept = exchange.request.responseFields, !kept.contains(where: { $0.utf8.elementsEqual(name) }) {
                return
            }
            exchange.response.fields.append(
                HTTP2Response.Field(
                    name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
            return
        }
        // `:status` is the only pseudo-field of a response. nghttp2 has checked that it has three digits.
        exchange.response.statusCode = value.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        // Earlier fields belong to an informational response.
        exchange.response.fields = []
    }

    fileprivate func takeData(_ bytes: UnsafeBufferPointer<UInt8>, stream: Int32) {
        guard let exchange = exchanges[stream], !exchange.isTooLarge else { return }
        let part = bytes.prefix(responseLimit - exchange.response.body.count)
        exchange.response.body.append(contentsOf: part)
        guard part.count < bytes.count else { return }
        exchange.isTooLarge = true
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
    }

    fileprivate func take(_ frame: nghttp2_frame) {
        guard frame.hd.type == UInt8(NGHTTP2_GOAWAY.rawValue) else { return }
        let text = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
        delegate?.session(
            self, didReceiveGoAway: String(decoding: text, as: UTF8.self), errorCode: frame.goaway.error_code)
    }

    fileprivate func noteSent(stream: Int32) { exchanges[stream]?.isSent = true }

    fileprivate func close(stream: Int32, errorCode: UInt32) {
        guard let exchange = exchanges.removeValue(forKey: stream) else { return }
        delegate?.session(self, didClose: exchange, errorCode: errorCode)
    }
}

private func owner(_ context: UnsafeMutableRawPointer?) -> Session? {
    context.map { Unmanaged<Session>.fromOpaque($0).takeUnretainedValue() }
}

private func onHeader(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?, _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    owner(context)?.takeHeader(
        UnsafeBufferPointer(start: name, count: nameLength), UnsafeBufferPointer(start: value, count: valueLength),
        stream: frame.pointee.hd.stream_id)
    return 0
}

private func onData(
    _: OpaquePointer?, _: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    owner(context)?.takeData(UnsafeBufferPointer(start: bytes, count: length), stream: stream)
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
    guard let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
    owner(context)?.noteSent(stream: frame.pointee.hd.stream_id)
    return 0
}

private func onStreamClose(
    _: OpaquePointer?, _ stream: Int32, _ errorCode: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    owner(context)?.close(stream: stream, errorCode: errorCode)
    return 0
}

/// Copies the next part of a request's body.
private func readBody(
    _: OpaquePointer?, _: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let flags, let context = source?.pointee.ptr else { return 0 }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let count = exchange.request.body.withUnsafeBufferPointer { body in
        let part = body[exchange.sentBytes...].prefix(length)
        _ = UnsafeMutableBufferPointer(start: buffer, count: length).update(fromContentsOf: part)
        return part.count
    }
    exchange.sentBytes += count
    if exchange.sentBytes == exchange.request.body.count { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return count
}
