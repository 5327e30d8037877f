import Cryptography
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A push service over TLS, with HTTP/2 and HTTP/1.1 as the client negotiates. It answers as its script says.
final class PushServiceStandIn: Sendable {
    /// A request as it was received.
    struct Received: Sendable {
        /// The number of the connection, from 1.
        let connection: Int
        /// The number of the request's head among all.
        let number: Int
        let method: String
        let path: String
        let headers: HTTPHeaders
        /// The major version of HTTP.
        let version: Int
        let body: [UInt8]

        func value(_ name: String) -> String? { headers.first(name: name) }
    }

    /// An answer.
    struct Reply: Sendable {
        var status = 201
        var fields: [(String, String)] = []
        var body = ""
        /// `true` for a body without an end.
        var isEndless = false
        /// `true` for no answer at all.
        var isSilent = false

        static let accepted = Reply()
        static let silent = Reply(isSilent: true)
    }

    typealias Script = @Sendable (Received) -> Reply

    let record: RequestRecord
    let port: Int
    /// The path of the authority's certificate.
    let caFile: String
    private let listener: any Channel

    /// - Parameters:
    ///   - names: The names of the certificate.
    ///   - protocols: The versions of HTTP that are negotiated.
    init(
        names: [String], protocols: [String] = ["h2", "http/1.1"], script: @escaping Script = { _ in .accepted }
    ) async throws {
        let authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(3_600))
        let issued = try authority.issue(
            commonName: "test", dnsNames: names, ipAddresses: ["127.0.0.1"], validity: .seconds(3_600))
        caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem").path
        try Data(authority.certificatePEM.utf8).write(to: URL(filePath: caFile))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: tls)
        let record = RequestRecord()
        self.record = record
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel -> EventLoopFuture<Void> in
                let number = record.opened(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureCommonHTTPServerPipeline({ stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(
                                ReplyHandler(connection: number, record: record, script: script))
                        }
                    })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    deinit { try? FileManager.default.removeItem(atPath: caFile) }

    /// The requests so far.
    var received: [Received] { record.requests }

    /// Closes the port and all connections.
    func stop() async {
        try? await listener.close()
        record.closeAll()
    }
}

/// The requests and connections of a stand-in.
final class RequestRecord: Sendable {
    private struct State {
        var requests: [PushServiceStandIn.Received] = []
        var heads = 0
        var channels: [any Channel] = []
    }

    private let state = Mutex(State())

    var requests: [PushServiceStandIn.Received] { state.withLock(\.requests) }
    /// The number of connections that were opened.
    var connections: Int { state.withLock(\.channels.count) }

    func add(_ request: PushServiceStandIn.Received) { state.withLock { $0.requests.append(request) } }

    /// Counts a head, and returns its number.
    func began() -> Int {
        state.withLock {
            $0.heads += 1
            return $0.heads
        }
    }

    func opened(_ channel: any Channel) -> Int {
        state.withLock {
            $0.channels.append(channel)
            return $0.channels.count
        }
    }

    func closeAll() {
        for channel in state.withLock(\.channels) { channel.close(promise: nil) }
    }
}

/// The answers to the requests of a connection of HTTP/1.1, or of one stream of HTTP/2.
private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: Int
    private let record: RequestRecord
    private let script: PushServiceStandIn.Script
    private var head: HTTPRequestHead?
    private var number = 0
    private var body: [UInt8] = []

    init(connection: Int, record: RequestRecord, script: @escaping PushServiceStandIn.Script) {
        self.connection = connection
        self.record = record
        self.script = script
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, number, body) = (head, record.began(), [])
        case .body(let bytes): body += Array(bytes.readableBytesView)
        case .end:
            guard let head else { return }
            let request = PushServiceStandIn.Received(
                connection: connection, number: number, method: head.method.rawValue, path: head.uri,
                headers: head.headers, version: head.version.major, body: body)
            record.add(request)
            answer(script(request), to: head, context)
        }
    }

    private func answer(
        _ reply: PushServiceStandIn.Reply, to head: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        guard !reply.isSilent else { return }
        var fields = HTTPHeaders(reply.fields)
        if !reply.isEndless { fields.add(name: "content-length", value: String(reply.body.utf8.count)) }
        let response = HTTPResponseHead(
            version: head.version, status: HTTPResponseStatus(statusCode: reply.status), headers: fields)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        guard !reply.isEndless else { return writeOn(context) }
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Writes parts of a body until the client has gone.
    private func writeOn(_ context: ChannelHandlerContext) {
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: 4_096)
        let eventLoop = context.eventLoop
        let bound = NIOLoopBound(context, eventLoop: eventLoop)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part)))).whenSuccess {
            eventLoop.execute { handler.value.writeOn(bound.value) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
