internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A proxy on loopback that opens tunnels by `CONNECT`, and keeps what it was asked.
public final class TestProxy: Sendable {
    public enum Behaviour: Sendable {
        /// Opens a tunnel to where it is asked for one, on this machine whatever the host is.
        case opensTunnels
        /// Wants this value of `Proxy-Authorization`, and opens tunnels then.
        case wants(authorization: String)
        /// Answers with these bytes.
        case says(String)
        /// Takes what it is sent, and answers nothing.
        case isSilent
        /// Closes connections instead of an answer.
        case hangsUp
    }

    public let port: Int
    private let requests: Log
    private let listener: any Channel

    /// - Parameter port: 0 for any that is free.
    public init(_ behaviour: Behaviour = .opensTunnels, port: Int = 0) async throws {
        let requests = Log()
        self.requests = requests
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                requests.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TestProxyHandler(behaviour, requests))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = listener.localAddress?.port ?? 0
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// The heads of the requests so far, without the empty line behind them.
    public var heads: [String] { requests.heads }

    /// Closes its port and all connections.
    public func stop() async {
        try? await listener.close()
        requests.closeAll()
    }

    final class Log: Sendable {
        private let state = Mutex<(heads: [String], channels: [any Channel])>(([], []))
        var heads: [String] { state.withLock(\.heads) }
        func add(_ head: String) { state.withLock { $0.heads.append(head) } }
        func add(_ channel: any Channel) { state.withLock { $0.channels.append(channel) } }

        func closeAll() {
            for channel in state.withLock(\.channels) { channel.close(promise: nil) }
        }
    }
}
