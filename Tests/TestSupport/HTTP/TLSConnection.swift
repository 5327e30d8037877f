import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import TestBasics

/// A client's end of a TLS connection to a gateway, by hand: it trusts one authority, expects one name, and stays
/// open for as long as a test needs it.
package struct TLSConnection: Sendable {
    let channel: any Channel
    let handshake: Handshake

    /// The protocol negotiated by ALPN; `nil` if there is none.
    package var negotiatedProtocol: String? { handshake.negotiatedProtocol }

    /// A request that needs no credentials.
    package static let healthRequest = "GET /healthz HTTP/1.1\r\nHost: \(name)\r\n\r\n"

    /// The name that Google's clients connect to.
    package static let name = "fcm.googleapis.com"

    /// Returns the text with which a client asks a proxy for a tunnel.
    package static func tunnelRequest(to authority: String = "\(name):443") -> String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
    }

    /// Connects and performs the handshake.
    ///
    /// - Parameters:
    ///   - source: the address to connect from; `nil` for the system's choice.
    ///   - address: the address to connect to. NIOSSL accepts a certificate for the address, whatever the name.
    ///   - isProxy: `true` to ask for a tunnel first.
    ///   - caFile: the file of trusted certificate authorities.
    ///   - name: the name that the other end must prove; `nil` for its address.
    package static func open(
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
            var bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(.patience))
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

    /// Sends the bytes and waits until the system has accepted them.
    package func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Waits until `take` finds a value in the received bytes, even after the connection has ended.
    package func receive<Found: Sendable>(_ take: @escaping @Sendable (inout [UInt8]) -> Found?) async throws -> Found {
        try await channel.eventLoop.flatSubmit { [handshake, channel] in
            let found = channel.eventLoop.makePromise(of: Found.self)
            handshake.collector.value.wait(
                for: { bytes in take(&bytes).map { found.succeed($0) } != nil },
                orFail: { found.fail(ChannelError.eof) })
            return found.futureResult
        }.get()
    }

    /// Sends an HTTP/1.1 request and reads its answer.
    package func exchange(_ text: String) async throws -> RawAnswer {
        try await send(Array(text.utf8))
        return try await receive { RawAnswer(takenFrom: &$0) }
    }

    /// The other end's certificate in DER.
    package func peerCertificate() async throws -> [UInt8] {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes() ?? []
        }.get()
    }

    /// `true` if neither end has closed the connection.
    package var isOpen: Bool { channel.isActive }

    /// Closes the connection.
    package func close() async throws { try await channel.close() }

    /// Waits until either end has closed the connection.
    package func closed() async throws { try await channel.closeFuture.get() }
}

/// The outcome of a handshake.
struct Handshake: Sendable {
    let negotiatedProtocol: String?
    let collector: NIOLoopBound<ByteCollector>
}

/// A handler that keeps the received bytes until a caller takes them.
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

/// A handler that asks a proxy for a tunnel and is replaced by TLS once the tunnel is open.
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
