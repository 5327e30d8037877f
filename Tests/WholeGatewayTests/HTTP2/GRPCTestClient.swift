import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import TestSupport

/// A client of gRPC, and of the routes, on one connection of HTTP/2 without TLS.
struct GRPCTestClient: Sendable {
    struct Answer: Sendable {
        var httpStatus: String?
        /// The status of a call; `nil` if the answer is not gRPC's.
        var status: String?
        var message: String?
        var messages: [[UInt8]] = []
    }

    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer

    static func connect(port: Int) async throws -> GRPCTestClient {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(.patience))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { stream in
                    stream.eventLoop.makeSucceededVoidFuture()
                }.map { GRPCTestClient(channel: channel, streams: $0) }
            }
    }

    func call(_ path: String, _ messages: [[UInt8]]) async throws -> Answer {
        try await begin(Self.head(path), Self.body(messages)).get()
    }

    /// Begins a call.
    ///
    /// - Returns: its answer, after the call has been sent.
    func begin(_ path: String, _ messages: [[UInt8]]) async throws -> EventLoopFuture<Answer> {
        try await begin(Self.head(path), Self.body(messages))
    }

    /// Makes a call with a body of any bytes.
    ///
    /// - Parameter encoding: the value of `grpc-encoding`.
    func call(_ path: String, bytes: [UInt8], encoding: String? = nil) async throws -> Answer {
        var head = Self.head(path)
        if let encoding { head.add(name: "grpc-encoding", value: encoding) }
        return try await begin(head, ByteBuffer(bytes: bytes)).get()
    }

    private static func head(_ path: String) -> HPACKHeaders {
        [
            ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
            "content-type": "application/grpc", "te": "trailers",
        ]
    }

    private static func body(_ messages: [[UInt8]]) -> ByteBuffer {
        var body = ByteBuffer()
        for message in messages {
            body.writeInteger(UInt8(0))
            body.writeInteger(UInt32(message.count))
            body.writeBytes(message)
        }
        return body
    }

    /// Begins a call whose messages do not end.
    ///
    /// - Returns: the end of the answer, after its first message has arrived.
    func open(_ path: String, _ message: [UInt8]) async throws -> EventLoopFuture<Answer> {
        let first = channel.eventLoop.makePromise(of: Void.self)
        let answer = try await begin(Self.head(path), Self.body([message]), isWhole: false, first)
        try await first.futureResult.get()
        return answer
    }

    func get(_ path: String) async throws -> Answer {
        try await begin([":method": "GET", ":scheme": "http", ":path": path, ":authority": "localhost"], nil).get()
    }

    /// Requests a route with a body of JSON.
    func send(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> Answer {
        let head: HPACKHeaders = [
            ":method": method, ":scheme": "http", ":path": path, ":authority": "localhost",
            "content-type": "application/json",
        ]
        return try await begin(head, ByteBuffer(bytes: body)).get()
    }

    func close() async throws { try await channel.close().get() }

    /// Closes the client's side of the connection, and reads on.
    func closeOutput() async throws { try await channel.close(mode: .output).get() }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - isWhole: `false` if the client may send more.
    ///   - first: fulfilled when the first piece of the answer's body has arrived.
    private func begin(
        _ head: HPACKHeaders, _ body: ByteBuffer?, isWhole: Bool = true, _ first: EventLoopPromise<Void>? = nil
    ) async throws -> EventLoopFuture<Answer> {
        let answer = channel.eventLoop.makePromise(of: Answer.self)
        let stream = try await streams.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(AnswerCollector(answer, first))
            }
        }.get()
        stream.write(HTTP2Frame.FramePayload.headers(.init(headers: head, endStream: body == nil)), promise: nil)
        if let body {
            let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(body), endStream: isWhole)
            stream.write(HTTP2Frame.FramePayload.data(data), promise: nil)
        }
        stream.flush()
        return answer.futureResult
    }
}

/// A handler that collects the frames of one answer.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let promise: EventLoopPromise<GRPCTestClient.Answer>
    private let first: EventLoopPromise<Void>?
    private var answer = GRPCTestClient.Answer()
    private var body = ByteBuffer()

    init(_ promise: EventLoopPromise<GRPCTestClient.Answer>, _ first: EventLoopPromise<Void>?) {
        self.promise = promise
        self.first = first
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            answer.httpStatus = frame.headers.first(name: ":status") ?? answer.httpStatus
            answer.status = frame.headers.first(name: "grpc-status") ?? answer.status
            answer.message = frame.headers.first(name: "grpc-message") ?? answer.message
            if frame.endStream { finish() }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { body.writeImmutableBuffer(bytes) }
            first?.succeed()
            if frame.endStream { finish() }
        default: break
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        first?.fail(ChannelError.eof)
        promise.fail(ChannelError.eof)
    }

    private func finish() {
        if answer.status != nil {
            while body.readInteger(as: UInt8.self) != nil, let count = body.readInteger(as: UInt32.self),
                let message = body.readBytes(length: Int(count))
            {
                answer.messages.append(message)
            }
        }
        promise.succeed(answer)
    }
}
