import NIOCore

/// A handler for Chromium's MCS connection, above TLS.
final class MCSHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let broker: PushBroker
    /// Returns the current time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private var session = MCSSession()
    /// The browser and the number of its connection; `nil` before its login.
    private var browser: (id: String, connection: Int)?

    init(broker: PushBroker, now: @escaping @Sendable () -> Int64) {
        self.broker = broker
        self.now = now
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for action in session.receive(unwrapInboundIn(data)) { carryOut(action, context: context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let browser { broker.disconnect(browser.id, connection: browser.connection) }
        browser = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is BrowserShutdownEvent { return close(context: context) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func carryOut(_ action: MCSSession.Action, context: ChannelHandlerContext) {
        switch action {
        case .greet(let login): greet(login, context: context)
        case .acknowledge(let ids):
            if let browser { broker.acknowledge(ids, by: browser.id) }
        case .send(let message): send(message, context: context)
        case .close: close(context: context)
        }
    }

    private func greet(_ login: MCSLogin, context: ChannelHandlerContext) {
        guard let id = broker.chromium(login.androidID, securityToken: login.securityToken) else {
            return close(context: context)
        }
        let deliver = NIOLoopBound({ self.deliver(context: context) }, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        // These messages must not be sent again: the browser has received them.
        broker.acknowledge(login.receivedPersistentIDs, by: id)
        let connection = broker.connect(id) { eventLoop.execute { deliver.value() } }
        browser = (id: id, connection: connection)
        send(.loginResponse(time: now()), context: context)
        self.deliver(context: context)
    }

    private func deliver(context: ChannelHandlerContext) {
        guard let browser else { return }
        let deliveries = broker.take(browser.id, connection: browser.connection)
        guard !deliveries.isEmpty else { return }
        for delivery in deliveries { send(.data(MCSData(delivery)), context: context) }
        // Without it, Chromium acknowledges after ten messages, or with its next heartbeat.
        send(.heartbeatPing, context: context)
    }

    private func send(_ message: MCSServerMessage, context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: session.bytes(of: message))
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func close(context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: session.bytes(of: .close))
        let written = context.writeAndFlush(wrapOutboundOut(buffer))
        written.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
}
