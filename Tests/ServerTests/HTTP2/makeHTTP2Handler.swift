import GRPC
import Hummingbird
import NIOCore
import Signals
import TestDoubles
import Testing

@testable import Server

/// Creates the handler of an HTTP/2 connection. Without `start`, no request begins.
func makeHTTP2Handler(
    on channel: any Channel, client: AwaitingCaller = AwaitingCaller(), work: HTTP2StreamWork = HTTP2StreamWork(),
    respond: @escaping RequestResponder = { _, _ in Response(status: .noContent) },
    router: @escaping GRPCRouter = { _ in nil }, start: @escaping GRPCStreamHandler.Starter = { _ in }
) throws -> HTTP2ConnectionHandler {
    let session = try #require(HTTP2ServerSession(maximumStreams: 100))
    let turns = LoopTurns(on: channel.eventLoop)
    let services = StreamServices(
        requests: RequestService(
            respond: respond, limits: RequestLimits(timeout: .seconds(10), largestBody: 1 << 20), logger: .silent),
        grpc: GRPCService(
            router: router, limits: GRPCLimits(maximumMessageBytes: 100, messageTimeout: .seconds(10)),
            maximumStreams: 100),
        access: ConnectionAccess(channel: channel, client: client, start: start, onLoop: { turns.run($0) }))
    return HTTP2ConnectionHandler(
        session, .init(), services, turns, work, connection: nil, writePeriod: .seconds(20), on: channel.eventLoop,
        logger: .silent)
}
