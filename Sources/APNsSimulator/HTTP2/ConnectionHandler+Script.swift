import NIOCore
import NIOHTTP2

/// What the connection's script asks for.
extension ConnectionHandler {
    func carryOut(_ plan: RequestPlan, on stream: HTTP2StreamID, context: ChannelHandlerContext) {
        switch plan.fate {
        case .process, .leaveOut: break
        case .reset(let code): reset(stream, code, context: context)
        case .stall: return stall(context: context)
        case .break(let kind): return breakConnection(kind, context: context)
        }
        if let limit = plan.streamLimit { announce(limit, context: context) }
        if let goAway = plan.goAway { drain(reason: goAway.reason, context: context) }
    }

    func reset(_ stream: HTTP2StreamID, _ code: UInt32, context: ChannelHandlerContext) {
        let isRefused = code == ScriptedConnection.refusedStream
        responder.history.count { isRefused ? ($0.streamsRefused += 1) : ($0.streamsAborted += 1) }
        send(.rstStream(HTTP2ErrorCode(networkCode: Int(code))), on: stream, context: context)
    }

    /// Answers that were ready go out; those that are held back never will.
    private func stall(context: ChannelHandlerContext) {
        end(context: context) { $0.connectionsStalled += 1 }
        socket.stall()
    }

    func breakConnection(_ kind: ConnectionBreakage.Kind, context: ChannelHandlerContext) {
        end(context: context) { $0.connectionsBroken += 1 }
        socket.close(kind)
    }

    private func end(context: ChannelHandlerContext, count: (inout SimulatorCounters) -> Void) {
        guard !isOver else { return }
        isOver = true
        responder.history.count(count)
        context.flush()
        state.closeAll()
    }
}
