import Logging
import NIOCore
import NIOTLS

/// One connection to a server: the session, and the exchanges on it.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case connecting
        case open(Session, ChannelHandlerContext)
        case closed
    }

    private typealias Ended = (exchange: Exchange, errorCode: UInt32)

    /// The number of bytes in one write: one TLS record.
    private static let record = 16 * 1024

    var state: ConnectionState
    /// The pool, which is notified when there is capacity again, and when the connection has ended.
    private weak var pool: HTTP2ConnectionPool?
    private let responseLimit: Int
    /// `true` if a response with a longer body is no error.
    private let cutsLongBodies: Bool
    private var phase = Phase.connecting
    /// The exchanges that wait for the handshake.
    private var waiting: [Exchange] = []
    /// The exchanges that ended while the session read or wrote.
    private var closed: [Ended] = []
    /// Empty, with memory for the next ones.
    private var spareClosed: [Ended] = []
    private(set) var goAwayText: String?
    /// The paths of requests that were cancelled here, until a request with the same path follows.
    private var resetPaths: Set<String> = []
    private static let maximumResets = 1_000
    private var output = ByteBuffer()
    /// `true` if exchanges were started since the last write.
    private(set) var hasStarted = false

    init(state: ConnectionState, responseLimit: Int, cutsLongBodies: Bool, pool: HTTP2ConnectionPool) {
        self.state = state
        self.responseLimit = responseLimit
        self.cutsLongBodies = cutsLongBodies
        self.pool = pool
    }

    var isConnecting: Bool { if case .connecting = phase { true } else { false } }

    // MARK: Exchanges

    func start(_ exchange: Exchange, at now: NIODeadline) {
        exchange.connection = self
        exchange.startedAt = now
        state.started(at: now)
        hasStarted = true
        guard case .open(let session, _) = phase else { return waiting.append(exchange) }
        submit(exchange, to: session)
    }

    private func submit(_ exchange: Exchange, to session: Session) {
        guard !session.submit(exchange) else { return }
        state.retire()
        state.abandoned()
        exchange.startOver()
        pool?.takeBack(exchange)
    }

    /// Removes an exchange that is finished, or gets no response on this connection.
    func abandon(_ exchange: Exchange) {
        waiting.removeAll { $0 === exchange }
        if case .open(let session, _) = phase { session.cancel(exchange) }
    }

    /// Notes that a request is about to be cancelled.
    func noteReset(of path: String) {
        if resetPaths.count >= Self.maximumResets { resetPaths = [] }
        resetPaths.insert(path)
    }

    /// Returns `true`, once, if a request with the path was cancelled here.
    func takeReset(of path: String) -> Bool { !resetPaths.isEmpty && resetPaths.remove(path) != nil }

    func ping() {
        guard case .open(let session, _) = phase else { return }
        session.ping()
        write()
    }

    // MARK: Life cycle

    /// Closes the connection at once. Its exchanges fail.
    func close(_ error: (Exchange) -> HTTP2ClientError) {
        let carried: [Exchange]
        switch phase {
        case .connecting: carried = waiting
        case .open(let session, let context):
            // In their order, since their failure may be the reason for new requests.
            carried = session.exchanges.values.sorted { $0.number < $1.number }
            phase = .closed
            context.close(promise: nil)
        case .closed: return
        }
        phase = .closed
        state.retire()
        waiting = []
        var lost = 0
        for exchange in carried where !exchange.isFinished {
            state.abandoned()
            let error = error(exchange)
            if error.kind == .connectionLost, !error.isUnprocessed { lost += 1 }
            end(exchange, error)
        }
        pool?.connectionDidClose(self, losing: lost)
    }

    /// Ends an exchange of a lost connection. An exchange that was not sent goes to another connection.
    private func end(_ exchange: Exchange, _ error: HTTP2ClientError) {
        let mayGoElsewhere = error.kind == .connectionLost && error.isUnprocessed
        guard let pool, mayGoElsewhere else { return exchange.finish(.failure(error)) }
        exchange.startOver()
        pool.takeBack(exchange)
    }

    /// Sends GOAWAY and closes the connection, if it is retired and has no exchanges left.
    func closeWhenFinished() {
        guard state.isFinished, case .open(let session, let context) = phase else { return }
        session.terminate()
        write()
        phase = .closed
        context.close(promise: nil)
        pool?.connectionDidClose(self, losing: 0)
    }

    // MARK: ChannelInboundHandler

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { open(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func open(_ context: ChannelHandlerContext) {
        guard isConnecting else { return context.close(promise: nil) }
        guard let session = Session(responseLimit: responseLimit, delegate: self) else {
            return close { $0.error(.couldNotConnect, "out of memory") }
        }
        phase = .open(session, context)
        state.heard(at: .now())
        for exchange in waiting { submit(exchange, to: session) }
        waiting = []
        write()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open(let session, _) = phase else { return }
        state.heard(at: .now())
        let problem = unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0) }
        state.serverLimit = session.streamLimit
        reportClosed()
        guard let problem else { return }
        close { $0.error(.connectionLost, "the server violated the protocol: \(problem)", isUnprocessed: false) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        pool?.fill()
        write()
        closeWhenFinished()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { write() }

    func channelInactive(context: ChannelHandlerContext) { lose("the server closed the connection") }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        lose("\(error)")
        context.close(promise: nil)
    }

    private func lose(_ reason: String) {
        let message = goAwayText.map { "\(reason); the reason in GOAWAY: \($0)" } ?? reason
        close { [goAwayText] in $0.error(.connectionLost, message, goAwayText: goAwayText) }
    }

    /// Writes the session's bytes for the server while the socket accepts them.
    func write() {
        hasStarted = false
        guard case .open(let session, let context) = phase else { return }
        var hasWritten = false
        while session.wantsWrite, context.channel.isWritable {
            // The memory can be used again because TLS has copied its content.
            output.clear()
            session.write(into: &output, upTo: Self.record)
            guard output.readableBytes > 0 else { break }
            context.write(wrapOutboundOut(output), promise: nil)
            hasWritten = true
        }
        if hasWritten { context.flush() }
        reportClosed()
        if session.isFinished { lose("the server ended the connection") }
    }

    private func reportClosed() {
        guard !closed.isEmpty else { return }
        let now = NIODeadline.now()
        // The end of an exchange may lead to that of others.
        var ended = spareClosed
        spareClosed = []
        swap(&ended, &closed)
        for (exchange, errorCode) in ended { finish(exchange, errorCode, at: now) }
        ended.removeAll(keepingCapacity: true)
        spareClosed = ended
    }

    private func finish(_ exchange: Exchange, _ errorCode: UInt32, at now: NIODeadline) {
        // It was cancelled or timed out, and has been counted then.
        guard !exchange.isFinished else { return }
        // The stream of a body that is too long was reset here.
        let isComplete = exchange.isTooLarge ? cutsLongBodies : errorCode == 0
        if isComplete, exchange.response.statusCode != 0 {
            state.answered(isGood: exchange.response.statusCode != 403, at: now)
            pool?.noteAnswer()
            return exchange.finish(.success(exchange.response))
        }
        state.abandoned()
        if exchange.isTooLarge {
            let message = "the answer's body is longer than \(responseLimit) bytes"
            exchange.finish(.failure(exchange.error(.responseTooLarge, message, isUnprocessed: false)))
        } else if errorCode == Session.refusedStream, let pool {
            pool.takeBackRefused(exchange, goAwayText: goAwayText)
        } else {
            let message = "the server ended the stream with \(Session.name(of: errorCode))"
            exchange.finish(
                .failure(exchange.error(.connectionLost, message, isUnprocessed: false, goAwayText: goAwayText)))
        }
    }
}

extension Connection: SessionDelegate {
    func session(_ session: Session, didClose exchange: Exchange, errorCode: UInt32) {
        closed.append((exchange, errorCode))
    }

    func session(_ session: Session, didReceiveGoAway text: String, errorCode: UInt32) {
        if !text.isEmpty { goAwayText = String(text.prefix(200)) }
        state.retire()
        pool?.logGoAway(text: goAwayText, error: Session.name(of: errorCode))
    }
}
