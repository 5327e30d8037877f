import NIOCore
import NIOPosix
import TestBasics

/// The behaviour of a slow client, with TLS or without.
extension TLSConnection {
    /// Connects without TLS, from an address of this machine if `source` is set.
    package static func openPlain(from source: String? = nil, port: Int) async throws -> TLSConnection {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let handshake = loop.makePromise(of: Handshake.self)
        do {
            var bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(.patience))
            if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
            let channel =
                try await bootstrap
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let collector = ByteCollector(handshake)
                        try channel.pipeline.syncOperations.addHandler(collector)
                        let bound = NIOLoopBound(collector, eventLoop: channel.eventLoop)
                        handshake.succeed(Handshake(negotiatedProtocol: nil, collector: bound))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            return TLSConnection(channel: channel, handshake: try await handshake.futureResult.get())
        } catch {
            handshake.fail(error)
            throw error
        }
    }

    /// Reads only on calls of ``readSome()``, 8 KiB at a time.
    package func readOnDemand() async throws {
        try await channel.setOption(.autoRead, value: false).get()
        try await channel.setOption(.maxMessagesPerRead, value: 1).get()
        try await channel.setOption(
            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8 * 1024)
        ).get()
    }

    /// Reads once, after ``readOnDemand()``.
    package func readSome() { channel.read() }

    /// Sends the bytes as soon as the other end reads them, without waiting.
    package func sendInTime(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// The number of bytes read and not yet taken.
    package func receivedBytes() async throws -> Int { try await receive { $0.count } }
}
