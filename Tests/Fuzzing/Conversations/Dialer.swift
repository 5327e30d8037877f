import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections to a gateway's listeners, and holds conversations on them.
struct Dialer: Sendable {
    private let target: FuzzTarget
    private let contexts: [String: NIOSSLContext]
    private let timeout: TimeAmount

    init(_ target: FuzzTarget, timeout: TimeAmount) throws {
        self.target = target
        self.timeout = timeout
        // Other tests check the gateway's certificate.
        contexts = try Dictionary(
            uniqueKeysWithValues: ["h2", "http/1.1"].map { name in
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.certificateVerification = .none
                configuration.applicationProtocols = [name]
                return (name, try NIOSSLContext(configuration: configuration))
            })
    }

    /// Holds a conversation from its start to its end.
    ///
    /// - Throws: An error if there is no connection, or no TLS on it.
    func hold(_ conversation: any Conversation, over way: Way) async throws -> any Conversation {
        guard let port = target.port(of: way) else { throw ChannelError.unknownLocalAddress }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: (any Conversation).self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .connectTimeout(timeout)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try configure(channel, conversation, way, promise) }
                }
                .connect(host: target.host, port: port).get()
        } catch {
            promise.fail(error)
            throw error
        }
        // This has no effect on a completed promise, and fails that of a connection that ends before its TLS handshake.
        channel.closeFuture.whenComplete { _ in promise.fail(ChannelError.eof) }
        return try await promise.futureResult.get()
    }

    private func configure(
        _ channel: any Channel, _ conversation: any Conversation, _ way: Way,
        _ promise: EventLoopPromise<any Conversation>
    ) throws {
        let protocolName = way.tlsProtocol
        let handler = ConversationHandler(
            conversation, startsWithHandshake: protocolName != nil, within: timeout, promise: promise)
        let pipeline = channel.pipeline.syncOperations
        guard let protocolName, let context = contexts[protocolName] else { return try pipeline.addHandler(handler) }
        let tls = try NIOSSLClientHandler(context: context, serverHostname: FuzzTarget.name)
        guard way.isTunnel else { return try pipeline.addHandlers(tls, handler) }
        try pipeline.addHandler(TunnelHandler(within: timeout) { try $0.addHandlers(tls, handler) })
    }
}
