import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import GRPC

@Suite("Streams of gRPC", .timeLimit(.minutes(10)))
struct GRPCStreamHandlerTests {
    /// The work of the calls, which a test runs itself.
    private final class Works: Sendable {
        private let works = Mutex<[@Sendable () async -> Void]>([])

        func add(_ work: @escaping @Sendable () async -> Void) { works.withLock { $0.append(work) } }

        func runAll() async {
            let all = works.withLock { works in
                defer { works = [] }
                return works
            }
            // Each in its own task: a call that is cancelled cancels its task.
            await withDiscardingTaskGroup { group in
                for work in all { group.addTask { await work() } }
            }
        }

        var count: Int { works.withLock { $0.count } }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        func set() { value.store(true, ordering: .relaxed) }

        var isSet: Bool { value.load(ordering: .relaxed) }
    }

    private let loop = NIOAsyncTestingEventLoop()
    private let works = Works()

    /// A call on the event loop, and the record of its answer.
    private struct Call: Sendable {
        let loop: NIOAsyncTestingEventLoop
        private let parts: NIOLoopBound<(handler: GRPCStreamHandler, stream: RecordingStream)>

        init(_ handler: GRPCStreamHandler, _ stream: RecordingStream, on loop: NIOAsyncTestingEventLoop) {
            self.loop = loop
            parts = NIOLoopBound((handler: handler, stream: stream), eventLoop: loop)
        }

        /// Sends the head.
        ///
        /// - Parameter isReset: `true` if a reset follows at once.
        func sendHead(_ more: HTTP2Fields = [:], isReset: Bool = false) async throws {
            var fields: HTTP2Fields = [":method": "POST", ":path": "/a.B/C", "content-type": "application/grpc"]
            fields.add(contentsOf: more)
            try await loop.executeInContext { [fields] in
                parts.value.handler.begin(fields, from: nil, isWhole: false)
                if isReset { parts.value.handler.close() }
                parts.value.handler.readComplete()
                parts.value.handler.startWork()
            }
        }

        /// Sends bytes.
        ///
        /// - Returns: `true` if the client may send more.
        @discardableResult
        func send(_ bytes: [UInt8], isLast: Bool = false) async throws -> Bool {
            try await loop.executeInContext {
                let mayGoOn = parts.value.handler.receive(ByteBuffer(bytes: bytes))
                if isLast { parts.value.handler.endInput() }
                parts.value.handler.readComplete()
                return mayGoOn
            }
        }

        func stop() async throws { try await loop.executeInContext { parts.value.handler.stop() } }

        func close() async throws { try await loop.executeInContext { parts.value.handler.close() } }

        /// Returns the new parts of the answer: heads as statuses, data as bytes, resets.
        func answer() async throws -> [String] {
            await loop.run()
            return try await loop.executeInContext { parts.value.stream.take() }
        }

        /// The number of times that the client was allowed to send again.
        func resumptions() async throws -> Int {
            await loop.run()
            return try await loop.executeInContext { parts.value.stream.resumptions }
        }
    }

    private func open(_ method: GRPCMethod?, maximumMessageBytes: Int = 100) async throws -> Call {
        let limits = GRPCLimits(maximumMessageBytes: maximumMessageBytes, messageTimeout: .seconds(10))
        return try await loop.executeInContext { [works, loop] in
            let stream = RecordingStream()
            let handler = GRPCStreamHandler(
                router: { _ in method }, limits: limits, stream: stream, eventLoop: loop, isAwaited: { true },
                start: { works.add($0) }, onLoop: { loop.execute($0) })
            return Call(handler, stream, on: loop)
        }
    }

    private static let echo = GRPCMethod.unary { message, _ in message }

    @Test("A unary call is answered with a head, its message and an OK")
    func unary() async throws {
        let call = try await open(Self.echo)
        try await call.sendHead()
        try await call.send([0, 0, 0])
        try await call.send([0, 1, 9], isLast: true)
        #expect(works.count == 1)
        #expect(try await call.answer() == [])
        await works.runAll()
        #expect(try await call.answer() == ["head 200", "[0, 0, 0, 0, 1, 9]", "status 0 end"])
    }

    @Test("A refused call is answered at its head, and takes no memory for the message that it announces")
    func refusal() async throws {
        let call = try await open(.refusal(GRPCStatus(code: 7, message: "no access")), maximumMessageBytes: 200 << 20)
        try await call.sendHead()
        #expect(try await call.answer() == ["head 200status 7 end", "reset"])
        // More than all the memory.
        try await call.send([0, 9, 0, 0, 0])
        #expect(try await call.answer() == [])
        #expect(works.count == 0)
    }

    @Test("A unary call that fails is answered with its status alone")
    func failing() async throws {
        let call = try await open(
            .unary { _, _ throws(GRPCStatus) in throw GRPCStatus(code: 5, message: "no such document") })
        try await call.sendHead()
        try await call.send([0, 0, 0, 0, 0], isLast: true)
        await works.runAll()
        #expect(try await call.answer() == ["head 200status 5 end"])
    }

    @Test("An unknown method is UNIMPLEMENTED before its message arrives, and the client is asked to send no more")
    func unknown() async throws {
        let call = try await open(nil)
        try await call.sendHead()
        #expect(try await call.answer() == ["head 200status 12 end", "reset"])
        #expect(works.count == 0)
    }

    @Test("A message above the limit is INVALID_ARGUMENT")
    func tooLarge() async throws {
        let call = try await open(Self.echo, maximumMessageBytes: 1)
        try await call.sendHead()
        try await call.send([0, 0, 0, 0, 2])
        #expect(try await call.answer() == ["head 200status 3 end", "reset"])
    }

    @Test(
        "A unary call without exactly one whole message is INVALID_ARGUMENT, and its method does not run",
        arguments: [[], [0, 0, 0, 0], [0, 0, 0, 0, 1]] as [[UInt8]])
    func malformed(bytes: [UInt8]) async throws {
        let call = try await open(Self.echo)
        try await call.sendHead()
        try await call.send(bytes, isLast: true)
        #expect(try await call.answer() == ["head 200status 3 end"])
        #expect(works.count == 0)
    }

    @Test("A unary call with a second message is INVALID_ARGUMENT at once, also if its end arrives with it")
    func secondMessage() async throws {
        let call = try await open(Self.echo)
        try await call.sendHead()
        try await call.send([UInt8](repeating: 0, count: 10), isLast: true)
        #expect(try await call.answer() == ["head 200status 3 end", "reset"])
        #expect(works.count == 0)
    }

    @Test("A call whose deadline passes is DEADLINE_EXCEEDED, and its late answer is dropped")
    func deadline() async throws {
        let call = try await open(Self.echo)
        try await call.sendHead(["grpc-timeout": "2S"])
        try await call.send([0, 0, 0, 0, 0], isLast: true)
        await loop.advanceTime(by: .seconds(2))
        #expect(try await call.answer() == ["head 200status 4 end"])
        await works.runAll()
        #expect(try await call.answer() == [])
    }

    @Test("A call whose message does not arrive in time is DEADLINE_EXCEEDED")
    func slow() async throws {
        let call = try await open(Self.echo)
        try await call.sendHead()
        await loop.advanceTime(by: .milliseconds(9_999))
        #expect(try await call.answer() == [])
        await loop.advanceTime(by: .milliseconds(1))
        #expect(try await call.answer() == ["head 200status 4 end", "reset"])
    }

    @Test("A streaming call answers each message, and ends after the client's last one")
    func streaming() async throws {
        let call = try await open(
            .streaming { messages, _, writer in
                for try await message in messages { try await writer.write(message) }
            })
        try await call.sendHead()
        try await call.send([0, 0, 0, 0, 1, 1])
        try await call.send([0, 0, 0, 0, 1, 2], isLast: true)
        await works.runAll()
        #expect(try await call.answer() == ["head 200", "[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2]", "status 0 end"])
    }

    @Test("A streaming call that its client resets at once does not begin")
    func resetAtOnce() async throws {
        let call = try await open(.streaming { messages, _, _ in for try await _ in messages {} })
        try await call.sendHead(isReset: true)
        #expect(works.count == 0)
    }

    @Test("A streaming call that is open when the server stops ends as UNAVAILABLE")
    func stopping() async throws {
        let call = try await open(.streaming { messages, _, _ in for try await _ in messages {} })
        try await call.sendHead()
        try await call.stop()
        // The work would never end without the cancellation.
        await works.runAll()
        #expect(try await call.answer() == ["head 200status 14 end", "reset"])
    }

    @Test("An answer that is ready when the server stops is sent before the call ends as UNAVAILABLE")
    func answerWhileStopping() async throws {
        let call = try await open(
            .streaming { _, _, writer in
                try await writer.write([7])
                try Task.checkCancellation()
            })
        try await call.sendHead()
        try await call.stop()
        await works.runAll()
        #expect(try await call.answer() == ["head 200", "[0, 0, 0, 0, 1, 7]", "status 14 end", "reset"])
    }

    @Test("A streaming call is not ended for silence after its first message")
    func silence() async throws {
        let call = try await open(.streaming { messages, _, _ in for try await _ in messages {} })
        try await call.sendHead()
        try await call.send([0, 0, 0, 0, 0])
        await loop.advanceTime(by: .hours(5))
        #expect(try await call.answer() == [])
    }

    @Test("A stream that its client resets cancels the call, and nothing is written")
    func reset() async throws {
        let flag = Flag()
        let call = try await open(.streaming { _, _, _ in if Task.isCancelled { flag.set() } })
        try await call.sendHead()
        try await call.close()
        await works.runAll()
        #expect(flag.isSet)
        #expect(try await call.answer() == [])
    }

    @Test("A stream is not read while too many of its messages wait")
    func backPressure() async throws {
        let call = try await open(
            .streaming { messages, _, _ in for try await _ in messages {} }, maximumMessageBytes: 1_000_000)
        try await call.sendHead()
        let loud: [UInt8] = [0, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 262_144)
        #expect(try await call.send(loud) == false)
        #expect(try await call.resumptions() == 0)
        try await call.send([], isLast: true)
        await works.runAll()
        #expect(try await call.resumptions() == 1)
    }
}

/// A stream that records what is written to it.
private final class RecordingStream: CallStream {
    private var parts: [String] = []
    private var data: [UInt8] = []
    private(set) var resumptions = 0

    func take() -> [String] {
        defer { (parts, data) = ([], []) }
        return parts
    }

    func writeHead(_ fields: HTTP2Fields, isLast: Bool) {
        let status = fields.first(name: ":status").map { "head \($0)" } ?? ""
        parts.append(status + end(fields) + (isLast ? " end" : ""))
    }

    func write(_ bytes: ByteBuffer, onSent: (@Sendable (Int) -> Void)?) {
        // Several messages may be in one piece, or in several.
        if !data.isEmpty { parts.removeLast() }
        data += Array(buffer: bytes)
        parts.append("\(data)")
        onSent?(bytes.readableBytes)
    }

    func writeTrailers(_ fields: HTTP2Fields) { parts.append(end(fields) + " end") }

    func refuseInput() { parts.append("reset") }

    func resumeReading() { resumptions += 1 }

    func flush() {}

    private func end(_ fields: HTTP2Fields) -> String {
        fields.first(name: "grpc-status").map { "status \($0)" } ?? ""
    }
}
