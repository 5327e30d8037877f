import NIOCore
import NIOHPACK
import NIOHTTP2

// MARK: The method

extension GRPCStreamHandler {
    func run(
        _ method: @escaping GRPCMethod.Unary, _ message: ReceivedMessage, _ call: GRPCCall,
        _ context: ChannelHandlerContext
    ) {
        phase = .running
        let (task, eventLoop) = (task, context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        start {
            let answer = await task.run { await GRPCStreamHandler.answer(method, message, call) }
            eventLoop.execute { handler.value.finish(answer) }
        }
    }

    private static func answer(
        _ method: GRPCMethod.Unary, _ message: ReceivedMessage, _ call: GRPCCall
    ) async -> Result<[UInt8], GRPCStatus> {
        // Nobody waits for the answer any more, and the method may not have changed anything yet.
        guard !Task.isCancelled else { return .failure(.cancelled) }
        defer { withExtendedLifetime(message.reservation) {} }
        do throws(GRPCStatus) {
            return .success(try await method(try message.decoded(), call))
        } catch {
            return .failure(error)
        }
    }

    func run(_ method: @escaping GRPCMethod.Streaming, _ call: GRPCCall, _ context: ChannelHandlerContext) {
        let (task, eventLoop) = (task, context.eventLoop)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        let input = MessageInput { eventLoop.execute { handler.value.resumeReading() } }
        let output = MessageOutput { eventLoop.execute { handler.value.writeOutput() } }
        phase = .streaming(input, output)
        start {
            let status = await task.run {
                await GRPCStreamHandler.status(of: method, GRPCMessages(input: input), call, GRPCWriter(output: output))
            }
            output.finish(status)
        }
    }

    private static func status(
        of method: GRPCMethod.Streaming, _ messages: GRPCMessages, _ call: GRPCCall, _ writer: GRPCWriter
    ) async -> GRPCStatus {
        do {
            try await method(messages, call, writer)
            return .ok
        } catch let status as GRPCStatus {
            return status
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .internalError
        }
    }
}

// MARK: The answer

extension GRPCStreamHandler {
    private func finish(_ answer: Result<[UInt8], GRPCStatus>) {
        guard let context, !isOver else { return }
        switch answer {
        case .success(let message):
            var bytes = context.channel.allocator.buffer(capacity: MessageReader.prefixBytes + message.count)
            bytes.writeMessage(message)
            write(bytes, nil, context)
            end(.ok, context)
        case .failure(let status): end(status, context)
        }
    }

    /// Writes the messages of a streaming call that wait, and its status if it has ended.
    func writeOutput() {
        guard let context, case .streaming(_, let output) = phase else { return }
        let (bytes, status) = output.take()
        let count = bytes.readableBytes
        if count > 0 {
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenComplete { _ in output.sent(count) }
            write(bytes, written, context)
        }
        if let status {
            end(isStopped && status != .ok ? .shuttingDown : status, context)
        } else if count > 0 {
            context.flush()
        }
    }

    private func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        if !isHeadWritten {
            isHeadWritten = true
            context.write(wrapOutboundOut(.headers(.init(headers: GRPCStatus.head))), promise: nil)
        }
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes)))), promise: promise)
    }

    /// Writes the status, which ends the call, and cancels its task if that still runs.
    func end(_ status: GRPCStatus, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        abandon()
        let fields = isHeadWritten ? status.trailers : status.trailersOnly
        let last = wrapOutboundOut(.headers(.init(headers: fields, endStream: true)))
        guard !isInputEnded else { return context.writeAndFlush(last, promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { self.resetInput() }
        context.writeAndFlush(last, promise: written)
    }

    /// Asks the client to send no more (RFC 9113 §8.1). A reset before the status has left would discard it.
    private func resetInput() {
        guard let context, !isInputEnded else { return }
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
}
