import NIOCore
import NIOHTTP1
import NIOWebSocket
import SimulatorTools

/// The listener for browsers without TLS: Firefox's WebSocket, and Chromium's check-in and registration.
struct BrowserServer: Sendable {
    /// The largest message of Firefox, in bytes.
    private static let largestMessage = 1024 * 1024

    private let broker: PushBroker
    private let responder: BrowserResponder
    private let channels = OpenChannels()

    init(broker: PushBroker, now: @escaping @Sendable () -> Int64) {
        self.broker = broker
        self.responder = BrowserResponder(broker: broker, now: now)
    }

    func bind(host: String, port: Int, on group: any EventLoopGroup) async throws -> any Channel {
        try await Listening.bind(host: host, port: port, on: group) { channel in
            channel.eventLoop.makeCompletedFuture { try self.configure(channel) }
        }
    }

    /// Closes all connections. The caller has closed the listener.
    func closeConnections() async { await channels.close(telling: BrowserShutdownEvent()) }

    private func configure(_ channel: any Channel) throws {
        guard channels.insert(channel) else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        let handler = BrowserRequestHandler(responder: responder)
        let requests = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.syncOperations.removeHandler(requests.value, promise: nil)
                }
            ))
        try pipeline.addHandler(handler)
    }

    private var upgrader: NIOWebSocketServerUpgrader {
        let broker = broker
        return NIOWebSocketServerUpgrader(
            maxFrameSize: Self.largestMessage,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(.some(Self.upgradeHeaders(head)))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1_024,
                            maxAccumulatedFrameSize: Self.largestMessage),
                        AutopushHandler(broker: broker))
                }
            })
    }

    /// Returns the fields of the answer that accept the subprotocol of autopush (RFC 6455 §4.2.2).
    private static func upgradeHeaders(_ head: HTTPRequestHead) -> HTTPHeaders {
        let protocols = head.headers[canonicalForm: "sec-websocket-protocol"]
        return protocols.contains("push-notification") ? ["sec-websocket-protocol": "push-notification"] : [:]
    }
}
