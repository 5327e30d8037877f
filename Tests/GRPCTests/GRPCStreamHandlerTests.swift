import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
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

    private let channel = NIOAsyncTestingChannel()
    private let works = Works()

    private func open(_ method: GRPCMethod?, maximumMessageBytes: Int = 100) async throws {
        let (works, limits) = (
            works, GRPCLimits(maximumMessageBytes: maximumMessageBytes, messageTimeout: .seconds(10))
        )
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(
                GRPCStreamHandler(
                    router: { _ in method }, limits: limits, isAwaited: { true }, start: { works.add($0) }))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    }

    private func sendHead(_ more: HPACKHeaders = [:]) async throws {
        var fields: HPACKHeaders = [":method": "POST", ":path": "/a.B/C", "content-type": "application/grpc"]
        fields.add(contentsOf: more)
        try await channel.writeInbound(HTTP2Frame.FramePayload.headers(.init(headers: fields)))
    }

    private func send(_ bytes: [UInt8], isLast: Bool = false) async throws {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isLast)
        try await channel.writeInbound(HTTP2Frame.FramePayload.data(data))
    }

    /// Returns the answer in one line: heads as statuses, data as bytes, resets.
    private func answer() async throws -> [String] {
        await channel.testingEventLoop.run()
        var parts: [String] = []
        var data: [UInt8] = []
        while let payload = try await channel.readOutbound(as: HTTP2Frame.FramePayload.self) {
            switch payload {
            case .headers(let frame):
                let status = frame.headers.first(name: "grpc-status")
                parts.append(
                    (frame.headers.first(name: ":status").map { "head \($0)" } ?? "")
                        + (status.map { "status \($0)" } ?? "") + (frame.endStream ? " end" : ""))
            case .data(let frame):
                // Several messages may be in one frame, or in several.
                guard case .byteBuffer(let bytes) = frame.data else { continue }
                if !data.isEmpty { parts.removeLast() }
                data += Array(buffer: bytes)
                parts.append("\(data)")
            case .rstStream: parts.append("reset")
            default: break
            }
        }
        return parts
    }

    private static let echo = GRPCMethod.unary { message, _ in message }

    @Test("A unary call is answered with a head, its message and an OK")
    func unary() async throws {
        try await open(Self.echo)
        try await sendHead()
        try await send([0, 0, 0])
        try await send([0, 1, 9], isLast: true)
        #expect(works.count == 1)
        #expect(try await answer() == [])
        await works.runAll()
        #expect(try await answer() == ["head 200", "[0, 0, 0, 0, 1, 9]", "status 0 end"])
    }

    @Test("A refused call is answered at its head, and takes no memory for the message that it announces")
    func refusal() async throws {
        try await open(.refusal(GRPCStatus(code: 7, message: "no access")), maximumMessageBytes: 200 << 20)
        try await sendHead()
        #expect(try await answer() == ["head 200status 7 end", "reset"])
        // More than all the memory.
        try await send([0, 9, 0, 0, 0])
        #expect(try await answer() == [])
        #expect(works.count == 0)
    }

    @Test("A unary call that fails is answered with its status alone")
    func failing() async throws {
        try await open(.unary { _, _ throws(GRPCStatus) in throw GRPCStatus(code: 5, message: "no such document") })
        try await sendHead()
        try await send([0, 0, 0, 0, 0], isLast: true)
        await works.runAll()
        #expect(try await answer() == ["head 200status 5 end"])
    }

    @Test("An unknown method is UNIMPLEMENTED before its message arrives, and the client is asked to send no more")
    func unknown() async throws {
        try await open(nil)
        try await sendHead()
        #expect(try await answer() == ["head 200status 12 end", "reset"])
        #expect(works.count == 0)
    }

    @Test("A message above the limit is INVALID_ARGUMENT")
    func tooLarge() async throws {
        try await open(Self.echo, maximumMessageBytes: 1)
        try await sendHead()
        try await send([0, 0, 0, 0, 2])
        #expect(try await answer() == ["head 200status 3 end", "reset"])
    }

    @Test(
        "A unary call without exactly one whole message is INVALID_ARGUMENT, and its method does not run",
        arguments: [[], [0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func malformed(bytes: [UInt8]) async throws {
        try await open(Self.echo)
        try await sendHead()
        try await send(bytes, isLast: true)
        #expect(try await answer() == ["head 200status 3 end"])
        #expect(works.count == 0)
    }

    @Test("A call whose deadline passes is DEADLINE_EXCEEDED, and its late answer is dropped")
    func deadline() async throws {
        try await open(Self.echo)
        try await sendHead(["grpc-timeout": "2S"])
        try await send([0, 0, 0, 0, 0], isLast: true)
        await channel.testingEventLoop.advanceTime(by: .seconds(2))
        #expect(try await answer() == ["head 200status 4 end"])
        await works.runAll()
        #expect(try await answer() == [])
    }

    @Test("A call whose message does not arrive in time is DEADLINE_EXCEEDED")
    func slow() async throws {
        try await open(Self.echo)
        try await sendHead()
        await channel.testingEventLoop.advanceTime(by: .milliseconds(9_999))
        #expect(try await answer() == [])
        await channel.testingEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try await answer() == ["head 200status 4 end", "reset"])
    }

    @Test("A streaming call answers each message, and ends after the client's last one")
    func streaming() async throws {
        try await open(
            .streaming { messages, _, writer in
                for try await message in messages { try await writer.write(message) }
            })
        try await sendHead()
        try await send([0, 0, 0, 0, 1, 1])
        try await send([0, 0, 0, 0, 1, 2], isLast: true)
        await works.runAll()
        #expect(try await answer() == ["head 200", "[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 2]", "status 0 end"])
    }

    @Test("A streaming call that is open when the server stops ends as UNAVAILABLE")
    func stopping() async throws {
        try await open(.streaming { messages, _, _ in for try await _ in messages {} })
        try await sendHead()
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        // The work would never end without the cancellation.
        await works.runAll()
        #expect(try await answer() == ["head 200status 14 end", "reset"])
    }

    @Test("An answer that is ready when the server stops is sent before the call ends as UNAVAILABLE")
    func answerWhileStopping() async throws {
        try await open(
            .streaming { _, _, writer in
                try await writer.write([7])
                try Task.checkCancellation()
            })
        try await sendHead()
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        await works.runAll()
        #expect(try await answer() == ["head 200", "[0, 0, 0, 0, 1, 7]", "status 14 end", "reset"])
    }

    @Test("A streaming call is not ended for silence after its first message")
    func silence() async throws {
        try await open(.streaming { messages, _, _ in for try await _ in messages {} })
        try await sendHead()
        try await send([0, 0, 0, 0, 0])
        await channel.testingEventLoop.advanceTime(by: .hours(5))
        #expect(try await answer() == [])
    }

    @Test("A stream that its client resets cancels the call, and nothing is written")
    func reset() async throws {
        let flag = Flag()
        try await open(.streaming { _, _, _ in if Task.isCancelled { flag.set() } })
        try await sendHead()
        try await channel.close().get()
        await works.runAll()
        #expect(flag.isSet)
        #expect(try await answer() == [])
    }

    @Test("A stream is not read while too many of its messages wait")
    func backPressure() async throws {
        try await open(
            .streaming { messages, _, _ in for try await _ in messages {} }, maximumMessageBytes: 1_000_000)
        try await sendHead()
        let loud: [UInt8] = [0, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 262_144)
        try await send(loud)
        let isHeld = try await channel.testingEventLoop.executeInContext {
            channel.pipeline.read()
            return try channel.pipeline.syncOperations.handler(type: GRPCStreamHandler.self).isReadHeld
        }
        #expect(isHeld)
    }
}
