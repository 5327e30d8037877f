import GRPC
import HTTPTypes
import Hummingbird
import NIOCore

/// A handler of one HTTP/2 stream that carries a request. Use it on its event loop only; the request itself is answered
/// in a task.
///
/// A client may send its body to the end after an early response, as over HTTP/1.1: not every client reads a response
/// while it sends. The rest is dropped, up to the deadline of the request.
final class RequestStreamHandler: StreamService {
    private let service: RequestService
    private let access: ConnectionAccess
    private let task = CallTask()
    /// The stream; `nil` after its end.
    private var stream: HTTP2Stream?
    /// The body; `nil` if there is none.
    private var input: RequestInput?
    private var output: ResponseOutput?
    /// The work, until it starts.
    private var work: (@Sendable () async -> Void)?
    private var isAnswered = false
    /// The deadline of an incomplete request.
    private var deadline: RequestDeadline?
    private var timer: Scheduled<Void>?

    init(_ service: RequestService, _ access: ConnectionAccess, on stream: HTTP2Stream) {
        self.service = service
        self.access = access
        self.stream = stream
    }

    private var eventLoop: any EventLoop { access.channel.eventLoop }

    // MARK: The request

    /// Takes the head.
    ///
    /// - Parameter isWhole: `true` if there is no body.
    func begin(_ fields: HTTP2Fields, isWhole: Bool) {
        guard let head = HTTPRequest(fields) else { return stream?.reset(.protocolError) ?? () }
        let (service, access, task) = (service, access, task)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        let output = ResponseOutput { access.onLoop { handler.value.writeOutput() } }
        self.output = output
        var body = RequestBody(buffer: ByteBuffer())
        if !isWhole {
            let input = RequestInput { count in access.onLoop { handler.value.consume(count) } }
            self.input = input
            body = RequestBody(asyncSequence: RequestInputSequence(input: input))
            deadline = RequestDeadline(service.limits, from: eventLoop.now)
        }
        let request = Request(head: head, body: body)
        let source = RequestStream(client: access.client) { access.onLoop { handler.value.sendContinue() } }
        work = {
            defer { service.load.end() }
            // The request has not begun, and nobody waits for its answer.
            if output.isClosed, service.load.isHigh { return }
            var context = GatewayRequestContext(source: .init(channel: access.channel, logger: service.logger))
            context.stream = source
            await task.run { [context] in await service.answer(request, context, to: output) }
        }
    }

    func startWork() {
        guard let work else { return }
        self.work = nil
        service.load.begin()
        access.start(work)
    }

    func receive(_ bytes: ByteBuffer) -> Bool {
        deadline?.receive(bytes.readableBytes)
        return input?.receive(bytes) != true
    }

    func endInput() {
        endDeadline()
        input?.finish()
    }

    private func consume(_ count: Int) { stream?.consume(count) }

    private func sendContinue() { stream?.writeInformation([":status": "100"]) }

    // MARK: The response

    private func writeOutput() {
        guard let output, let stream else { return }
        let parts = output.take()
        let isBodyEmpty = parts.bytes.allSatisfy { $0.readableBytes == 0 }
        if let head = parts.head {
            if isBodyEmpty, case .complete(.none)? = parts.end { return stream.writeHead(head, isLast: true) }
            stream.writeHead(head, isLast: false)
        }
        for bytes in parts.bytes { stream.write(bytes) { output.sent($0) } }
        switch parts.end {
        case .complete(.some(let trailers))?: stream.writeTrailers(HTTP2Fields(trailers))
        case .complete(.none)?: stream.finish(.plain)
        case .failed?: stream.reset(.internalError)
        case nil: break
        }
    }

    func outputLeft() {
        isAnswered = true
        input?.discard()
        stream?.resumeReading()
    }

    // MARK: The end

    func readComplete() {
        // Mostly the whole request arrives at once, and there is no need for a timer.
        if timer == nil { setTimer() }
    }

    private func setTimer() {
        guard let deadline else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline.time) { self.look() }
    }

    private func look() {
        timer = nil
        guard let deadline else { return }
        if eventLoop.now < deadline.time { return setTimer() }
        self.deadline = nil
        input?.fail(RequestTimedOut())
        stream?.refuseInput()
        stream?.flush()
    }

    private func endDeadline() {
        deadline = nil
        timer?.cancel()
        timer = nil
    }

    /// Does nothing: requests come to their own end.
    func stop() {}

    func close() {
        endDeadline()
        input?.fail(ChannelError.eof)
        output?.close()
        if !isAnswered { task.cancel() }
        (stream, input, output, work) = (nil, nil, nil, nil)
    }
}
