import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A client's end of a TLS connection to a gateway, by hand: it trusts one authority, expects one name, and stays open
/// for as long as a test likes.
public struct TLSConnection: Sendable {
    let channel: any Channel
    let handshake: Handshake

    /// What the two ends agreed on (ALPN), or nil.
    public var negotiatedProtocol: String? { handshake.negotiatedProtocol }

    /// A request that needs nothing.
    public static let healthRequest = "GET /healthz HTTP/1.1\r\nHost: \(name)\r\n\r\n"

    public static let name = "fcm.googleapis.com"

    /// The text with which a client asks a proxy for a tunnel.
    public static func tunnelRequest(to authority: String = "\(name):443") -> String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
    }

    /// Connects and shakes hands.
    ///
    /// - Parameters:
    ///   - source: the address to connect from; nil for the system's choice.
    ///   - address: where to connect. NIOSSL is content with a certificate for the address, whatever the name.
    ///   - isProxy: whether a tunnel has to be asked for first.
    ///   - caFile: whom to trust.
    ///   - name: who the other end must prove to be; nil for the address it has.
    public static func open(
        from source: String? = nil, _ address: String = "127.0.0.1", port: Int, isProxy: Bool = false,
        trusting caFile: String,
        name: String? = name, protocols: [String] = ["http/1.1"]
    ) async throws -> TLSConnection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(caFile)
        configuration.applicationProtocols = protocols
        configuration.shutdownTimeout = .milliseconds(100)
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let handshake = loop.makePromise(of: Handshake.self)
        let start = { @Sendable (channel: any Channel) throws in
            try channel.pipeline.syncOperations.addHandlers(
                NIOSSLClientHandler(context: context, serverHostname: name), ByteCollector(handshake))
        }
        do {
            var bootstrap = ClientBootstrap(group: loop)
            if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
            let channel =
                try await bootstrap
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        isProxy
                            ? try channel.pipeline.syncOperations.addHandler(TunnelOpener(start)) : try start(channel)
                    }
                }
                .connect(host: address, port: port).get()
            channel.closeFuture.whenComplete { _ in handshake.fail(ChannelError.eof) }
            return TLSConnection(channel: channel, handshake: try await handshake.futureResult.get())
        } catch {
            handshake.fail(error)
            throw error
        }
    }

    public func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Waits until `take` finds what it looks for among the bytes that have come, also after the connection has ended.
    public func receive<Found: Sendable>(_ take: @escaping @Sendable (inout [UInt8]) -> Found?) async throws -> Found {
        try await channel.eventLoop.flatSubmit { [handshake, channel] in
            let found = channel.eventLoop.makePromise(of: Found.self)
            handshake.collector.value.wait(
                for: { bytes in take(&bytes).map { found.succeed($0) } != nil },
                orFail: { found.fail(ChannelError.eof) })
            return found.futureResult
        }.get()
    }

    /// Makes a request of HTTP/1.1 and reads its answer.
    public func exchange(_ text: String) async throws -> RawAnswer {
        try await send(Array(text.utf8))
        return try await receive { RawAnswer(takenFrom: &$0) }
    }

    /// What the other end has shown, in DER.
    public func peerCertificate() async throws -> [UInt8] {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes() ?? []
        }.get()
    }

    public var isOpen: Bool { channel.isActive }

    public func close() async throws { try await channel.close() }

    /// Waits until either end has closed it.
    public func closed() async throws { try await channel.closeFuture.get() }
}

/// The outcome of a handshake.
struct Handshake: Sendable {
    let negotiatedProtocol: String?
    let collector: NIOLoopBound<ByteCollector>
}

/// Keeps the bytes that come in until somebody takes them.
final class ByteCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handshake: EventLoopPromise<Handshake>
    private var bytes: [UInt8] = []
    private var isOver = false
    private var waiter: (isFound: (inout [UInt8]) -> Bool, fail: () -> Void)?

    init(_ handshake: EventLoopPromise<Handshake>) { self.handshake = handshake }

    func wait(for isFound: @escaping (inout [UInt8]) -> Bool, orFail fail: @escaping () -> Void) {
        if isFound(&bytes) { return }
        if isOver { fail() } else { waiter = (isFound, fail) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        if waiter?.isFound(&bytes) == true { waiter = nil }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiatedProtocol) = event as? TLSUserEvent {
            let collector = NIOLoopBound(self, eventLoop: context.eventLoop)
            handshake.succeed(Handshake(negotiatedProtocol: negotiatedProtocol, collector: collector))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshake.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        waiter?.fail()
        waiter = nil
    }
}

/// Asks a proxy for a tunnel, and makes way for TLS when it is there.
private final class TunnelOpener: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let start: (any Channel) throws -> Void
    private var bytes: [UInt8] = []

    init(_ start: @escaping (any Channel) throws -> Void) { self.start = start }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: TLSConnection.tunnelRequest())), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        guard let answer = RawAnswer(takenFrom: &bytes) else { return }
        guard answer.status == 200, (try? start(context.channel)) != nil else { return context.close(promise: nil) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
