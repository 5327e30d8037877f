import GRPC
import NIOCore

/// The work that a stream carries: a request, or a call of gRPC. Its functions are called on the event loop.
protocol StreamService: AnyObject {
    /// Starts the work, after the first bytes of the request have been read. A stream that these bytes also reset is
    /// not started.
    func startWork()
    /// Receives a part of the body.
    ///
    /// - Returns: `false` if the client must not send more before ``HTTP2Stream/resumeReading()``.
    func receive(_ bytes: ByteBuffer) -> Bool
    func endInput()
    /// Notes that all bytes that have arrived so far have been received.
    func readComplete()
    /// Notes that the whole answer has left.
    func outputLeft()
    /// Ends work that does not end by itself, because the server stops.
    func stop()
    /// Ends the work: the stream is complete, reset, or lost with its connection.
    func close()
}

extension GRPCStreamHandler: StreamService {
    /// A call has refused further input with its status.
    func outputLeft() {}
}

/// A stream of an HTTP/2 connection. Use it on the connection's event loop only.
final class HTTP2Stream: CallStream {
    enum Ending {
        case plain
        case trailers(HTTP2Fields)
    }

    let id: Int32
    /// The session; `nil` after the end of the stream.
    private var session: HTTP2ServerSession?
    /// The work of the stream; `nil` after its end.
    var service: (any StreamService)?
    /// `true` if bytes have arrived since the last ``readComplete()``.
    var isTouched = false
    var pace = StreamPace()

    private var isInputEnded: Bool
    private var hasOutputLeft = false
    private var refusesInput = false
    /// The number of received bytes by which the client's window has not been opened yet.
    private var held = 0

    private var isHeadWritten = false
    /// The bytes of the answer that wait for the client's windows.
    private var waiting = CircularBuffer<ByteBuffer>(initialCapacity: 2)
    private var end: Ending?
    private var onSent: (@Sendable (Int) -> Void)?

    /// Creates a stream without work.
    ///
    /// - Parameter isWhole: `true` if the client sends nothing after the head.
    init(_ id: Int32, of session: HTTP2ServerSession, isWhole: Bool) {
        self.id = id
        self.session = session
        isInputEnded = isWhole
    }

    var isOpen: Bool { session != nil }

    // MARK: The request

    func receive(_ bytes: ByteBuffer) {
        held += bytes.readableBytes
        if service?.receive(bytes) != false { resumeReading() }
    }

    func endInput() {
        isInputEnded = true
        service?.endInput()
    }

    func resumeReading() { consume(held) }

    /// Lets the client send as many bytes more.
    func consume(_ count: Int) {
        let count = min(count, held)
        held -= count
        if count > 0, !isInputEnded { session?.consume(count, on: id) }
    }

    func refuseInput() {
        refusesInput = true
        if hasOutputLeft { resetInput() }
    }

    private func resetInput() {
        if !isInputEnded { session?.reset(id, code: .noError) }
    }

    // MARK: The answer

    /// Writes an informational head, unless the answer has begun.
    func writeInformation(_ fields: HTTP2Fields) {
        if !isHeadWritten { session?.submitInformation(fields, on: id) }
    }

    func writeHead(_ fields: HTTP2Fields, isLast: Bool) {
        guard !isHeadWritten else { return }
        isHeadWritten = true
        session?.submitHead(fields, on: id, isLast: isLast)
    }

    func write(_ bytes: ByteBuffer, onSent: (@Sendable (Int) -> Void)?) {
        guard isOpen, bytes.readableBytes > 0 else { return }
        pace.write(bytes.readableBytes)
        waiting.append(bytes)
        self.onSent = onSent
        session?.resume(id)
    }

    func writeTrailers(_ fields: HTTP2Fields) { finish(.trailers(fields)) }

    func finish(_ ending: Ending) {
        guard end == nil else { return }
        end = ending
        // It waits for the windows as a byte does.
        pace.write(1)
        session?.resume(id)
    }

    /// Ends the stream at once.
    func reset(_ code: HTTP2ErrorCode) { session?.reset(id, code: code) }

    func flush() { session?.onFlush?() }

    // MARK: The session's side

    /// The end of the answer, if no byte waits before it.
    var ending: Ending? { waiting.isEmpty ? end : nil }

    /// Moves waiting bytes into a frame.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count, var first = waiting.popFirst() {
            let length = min(first.readableBytes, buffer.count - count)
            first.withUnsafeReadableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes.prefix(length)))
            }
            first.moveReaderIndex(forwardBy: length)
            count += length
            if first.readableBytes > 0 { waiting.prepend(first) }
        }
        if count > 0 {
            pace.take(count)
            onSent?(count)
        }
        return count
    }

    func outputLeft() {
        hasOutputLeft = true
        if end != nil { pace.take(1) }
        if refusesInput { resetInput() }
        service?.outputLeft()
    }

    func close() {
        session = nil
        let service = service
        self.service = nil
        service?.close()
        if !waiting.isEmpty { waiting.removeAll() }
        onSent = nil
    }
}
