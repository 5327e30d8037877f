import NIOCore
import NIOPosix
import NIOSSL
import TestDoubles

/// A client's connection as bytes, with or without TLS, for stand-ins of browsers.
struct ByteConnection {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Connects to loopback, runs the body, and closes the connection.
    ///
    /// - Parameter caFile: The file with the authority to trust; `nil` for a connection without TLS.
    static func run<Value: Sendable>(
        port: Int, caFile: String? = nil, body: @Sendable (inout ByteConnection) async throws -> Value
    ) async throws -> Value {
        var tls: NIOSSLContext?
        if let caFile {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(caFile)
            configuration.shutdownTimeout = .milliseconds(100)
            tls = try NIOSSLContext(configuration: configuration)
        }
        let context = tls
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(.patience))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    return try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(inboundType: ByteBuffer.self, outboundType: ByteBuffer.self))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = ByteConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// Returns the next bytes; `nil` after the end.
    mutating func read() async throws -> ByteBuffer? { try await inbound.next() }
}
