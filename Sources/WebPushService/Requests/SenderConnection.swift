import NIOCore
import SimulatorTools

/// The state of one connection of an application server, on its event loop only.
final class SenderConnection {
    /// The connection's number, from 1, in the order of acceptance.
    let number: Int
    var validator: PushRequestValidator
    /// The number of requests that are not answered yet.
    private(set) var openRequests = 0
    private var isDraining = false
    private let channel: any Channel

    init(number: Int, validator: PushRequestValidator, channel: any Channel) {
        self.number = number
        self.validator = validator
        self.channel = channel
    }

    func beginRequest() { openRequests += 1 }

    /// Notes that a request was answered or given up, and closes a draining connection after its last one.
    func endRequest() {
        openRequests -= 1
        if isDraining, openRequests == 0 { close() }
    }

    /// Closes the connection after the last answer, or after the grace period.
    func drain(within gracePeriod: TimeAmount) {
        isDraining = true
        guard openRequests > 0 else { return close() }
        let channel = channel
        channel.eventLoop.scheduleTask(in: gracePeriod) { channel.close(promise: nil) }
    }

    func close() { channel.close(promise: nil) }
}

/// The handler of a connection between TLS and HTTP, of either version.
final class SenderConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    /// An event that the channel receives when the service shuts down.
    struct ShutdownEvent: Sendable {
        /// The time that requests in progress have left.
        let gracePeriod: TimeAmount
    }

    private let connection: SenderConnection
    private let history: MessageHistory

    init(_ connection: SenderConnection, history: MessageHistory) {
        self.connection = connection
        self.history = history
    }

    // A tunnel of the proxy is open before this handler is added.
    func handlerAdded(context: ChannelHandlerContext) {
        history.count {
            $0.connectionsOpened += 1
            $0.connectionsOpen += 1
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { history.count { $0.connectionsOpen -= 1 } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ShutdownEvent { return connection.drain(within: event.gracePeriod) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes a connection whose TLS has failed.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { connection.close() }
}
