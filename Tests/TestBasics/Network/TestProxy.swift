import NIOCore
import NIOPosix
import Synchronization

/// A proxy on loopback that opens tunnels by `CONNECT` and records the heads of its requests.
package final class TestProxy: Sendable {
    /// The behaviour of the proxy on a request.
    package enum Behaviour: Sendable {
        /// Opens a tunnel to the requested port on this machine, whatever the host.
        case opensTunnels
        /// Opens tunnels for requests with this value of `Proxy-Authorization` and refuses others with 407.
        case wants(authorization: String)
        /// Opens tunnels to all ports but this one, for which it answers 403.
        case refuses(port: Int)
        /// Answers with these bytes.
        case says(String)
        /// Reads and never answers.
        case isSilent
        /// Closes each connection without an answer.
        case hangsUp
    }

    package let port: Int
    private let requests: Log
    private let listener: any Channel

    /// - Parameter port: the port to listen on; 0 for any free port.
    package init(_ behaviour: Behaviour = .opensTunnels, port: Int = 0) async throws {
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

    /// The URL of the proxy, `http://127.0.0.1:50123`.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The heads of the requests so far, without the empty line at their end.
    package var heads: [String] { requests.heads }

    /// Closes the port and all connections.
    package func stop() async {
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
