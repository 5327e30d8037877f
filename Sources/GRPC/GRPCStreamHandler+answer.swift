import NIOCore

// MARK: The method

extension GRPCStreamHandler {
    func run(_ method: @escaping GRPCMethod.Unary, _ message: ReceivedMessage, _ call: GRPCCall) {
        phase = .running
        let (task, onLoop) = (task, onLoop)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        start {
            let answer = await task.run { await GRPCStreamHandler.answer(method, message, call) }
            onLoop { handler.value.finish(answer) }
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

    func run(_ method: @escaping GRPCMethod.Streaming, _ call: GRPCCall) {
        let (task, onLoop) = (task, onLoop)
        let handler = NIOLoopBound(self, eventLoop: eventLoop)
        let input = MessageInput { onLoop { handler.value.resumeReading() } }
        let output = MessageOutput { onLoop { handler.value.writeOutput() } }
        phase = .streaming(input, output)
        streamingWork = {
            let status = await task.run {
                await GRPCStreamHandler.status(of: method, GRPCMessages(input: input), call, GRPCWriter(output: output))
            }
            output.finish(status)
        }
    }

    /// Starts a method that began with the head of its request. A call that was reset before does not begin.
    package func startWork() {
        guard let work = streamingWork else { return }
        streamingWork = nil
        start(work)
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
        guard !isOver else { return }
        switch answer {
        case .success(let message):
            var bytes = ByteBufferAllocator().buffer(capacity: MessageReader.prefixBytes + message.count)
            bytes.writeMessage(message)
            write(bytes, nil)
            end(.ok)
        case .failure(let status): end(status)
        }
    }

    /// Writes the messages of a streaming call that wait, and its status if it has ended.
    func writeOutput() {
        guard case .streaming(_, let output) = phase else { return }
        let (bytes, status) = output.take()
        if bytes.readableBytes > 0 { write(bytes) { output.sent($0) } }
        if let status { end(isStopped && status != .ok ? .shuttingDown : status) }
    }

    private func write(_ bytes: ByteBuffer, _ onSent: (@Sendable (Int) -> Void)?) {
        if !isHeadWritten {
            isHeadWritten = true
            stream?.writeHead(GRPCStatus.head, isLast: false)
        }
        stream?.write(bytes, onSent: onSent)
    }

    /// Writes the status, which ends the call, and cancels its task if that still runs.
    func end(_ status: GRPCStatus) {
        guard !isOver else { return }
        abandon()
        if isHeadWritten {
            stream?.writeTrailers(status.trailers)
        } else {
            stream?.writeHead(status.trailersOnly, isLast: true)
        }
        if !isInputEnded { stream?.refuseInput() }
    }
}
