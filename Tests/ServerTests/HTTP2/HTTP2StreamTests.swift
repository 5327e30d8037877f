import GRPC
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHPACK
import Synchronization
import TestBasics
import TestDoubles
import Testing

@testable import Server

@Suite("Streams of an HTTP/2 connection", .timeLimit(.minutes(10)))
struct HTTP2StreamTests {
    /// The work of the requests, which a test runs itself.
    private final class Works: Sendable {
        private let works = Mutex<[@Sendable () async -> Void]>([])

        func add(_ work: @escaping @Sendable () async -> Void) { works.withLock { $0.append(work) } }

        func runAll() async {
            let all = works.withLock { works in
                defer { works = [] }
                return works
            }
            // Each in its own task: a request that is cancelled cancels its task.
            await withDiscardingTaskGroup { group in
                for work in all { group.addTask { await work() } }
            }
        }

        var count: Int { works.withLock { $0.count } }
    }

    private let channel = NIOAsyncTestingChannel()
    private let works = Works()

    private func open(
        preface: [UInt8] = HTTP2Frames.preface,
        respond: @escaping RequestResponder = { _, _ in Response(status: .noContent) },
        router: @escaping GRPCRouter = { _ in nil }
    ) async throws {
        try await channel.testingEventLoop.executeInContext { [channel, works] in
            let handler = try makeHTTP2Handler(
                on: channel, respond: respond, router: router, start: { works.add($0) })
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await receive(preface)
    }

    private func receive(_ bytes: [UInt8]) async throws {
        try await channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Returns the frames of responses since the last call, and the connection's others if they are asked for.
    private func frames(with others: Set<HTTP2Frames.FrameType> = []) async throws -> [String] {
        await channel.testingEventLoop.run()
        var bytes: [UInt8] = []
        while case .byteBuffer(let buffer) = try await channel.readOutbound(as: IOData.self) {
            bytes += Array(buffer: buffer)
        }
        var frames: [String] = []
        let end: Void? = HTTP2Frames.take(from: &bytes) { frame in
            if let text = Self.text(of: frame, others) { frames.append(text) }
            return nil
        }
        #expect(end == nil && bytes.isEmpty)
        return frames
    }

    private static func text(of frame: ReceivedFrame, _ others: Set<HTTP2Frames.FrameType>) -> String? {
        let end = frame.flags & HTTP2Frames.endStream != 0 ? " end" : ""
        switch frame.type {
        case .headers: return "headers \(frame.stream)\(end)"
        case .data: return "data \(frame.stream) \(frame.payload.count)\(end)"
        case .resetStream: return "reset \(frame.stream) code \(frame.payload.last ?? 0)"
        case let type? where others.contains(type): return "\(type) \(frame.stream)"
        default: return nil
        }
    }

    private static func body(_ bytes: [UInt8], isLast: Bool = false, on stream: UInt32 = 1) -> [UInt8] {
        HTTP2Frames.frame(.data, flags: isLast ? HTTP2Frames.endStream : 0, on: stream, bytes)
    }

    private static func response(_ count: Int) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 1, count: count)))
    }

    private static let get = HTTP2Frames.request("GET", "/", on: 1, isWhole: true)
    private static let post = HTTP2Frames.request("POST", "/", on: 1)

    // MARK: Requests and responses

    @Test("A request is answered with a head and its body, and one without a body with its head alone")
    func answered() async throws {
        try await open { request, _ in
            request.uri.path == "/body" ? Self.response(2) : Response(status: .noContent)
        }
        try await receive(
            HTTP2Frames.request("GET", "/body", on: 1, isWhole: true)
                + HTTP2Frames.request("GET", "/", on: 3, isWhole: true))
        await works.runAll()
        let answers = try await frames()
        #expect(answers.filter { $0.contains(" 1") } == ["headers 1", "data 1 2 end"])
        #expect(answers.filter { $0.contains(" 3") } == ["headers 3 end"])
    }

    @Test("A request has its method, scheme, authority, path, fields and body")
    func request() async throws {
        let seen = Mutex<HTTPRequest?>(nil)
        let body = Mutex<[UInt8]>([])
        try await open { request, _ in
            seen.withLock { $0 = request.head }
            let bytes = try await request.body.collect(upTo: 100)
            body.withLock { $0 = Array(buffer: bytes) }
            return Response(status: .ok)
        }
        try await receive(
            HTTP2Frames.request("POST", "/a?b=c", on: 1, authority: "a.example", more: [("x-a", "1"), ("x-a", "2")])
                + Self.body([1, 2]) + Self.body([3], isLast: true))
        await works.runAll()
        let request = seen.withLock { $0 }
        let head = try #require(request)
        #expect(head.method == .post && head.scheme == "https" && head.authority == "a.example")
        #expect(head.path == "/a?b=c")
        let name = try #require(HTTPField.Name("x-a"))
        #expect(head.headerFields[values: name] == ["1", "2"])
        let bytes = body.withLock { $0 }
        #expect(bytes == [1, 2, 3])
        #expect(try await frames() == ["headers 1 end"])
    }

    @Test("A response that is written in pieces ends with the last one, and its trailers follow it")
    func pieces() async throws {
        try await open { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(repeating: 1, count: 3))
                    try await writer.write(ByteBuffer(repeating: 1, count: 4))
                    try await writer.finish([.contentType: "text/plain"])
                })
        }
        try await receive(Self.get)
        await works.runAll()
        let answer = try await frames()
        #expect(answer.first == "headers 1" && answer.last == "headers 1 end")
        #expect(Self.bytes(of: answer) == 7)
    }

    @Test("A response that fails on the way is reset, so that nobody takes it for a whole one")
    func failing() async throws {
        struct Failure: Error {}
        try await open { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(repeating: 1, count: 3))
                    throw Failure()
                })
        }
        try await receive(Self.get)
        await works.runAll()
        #expect(try await frames().last == "reset 1 code 2")
    }

    @Test("A call of gRPC on the same connection is answered with a head, a message and its status")
    func call() async throws {
        try await open(router: { _ in .unary { message, _ in message } })
        let head = HTTP2Frames.request("POST", "/a.B/C", on: 1, more: [("content-type", "application/grpc")])
        try await receive(head + Self.body([0, 0, 0, 0, 1, 9], isLast: true))
        await works.runAll()
        #expect(try await frames() == ["headers 1", "data 1 6", "headers 1 end"])
    }

    @Test("A client that waits for 100 Continue gets it when the body is read")
    func expectation() async throws {
        try await open { request, context in
            let body = try await request.meetingExpectation(in: context).body.collect(upTo: 100)
            return Self.response(body.readableBytes)
        }
        try await receive(HTTP2Frames.request("POST", "/", on: 1, more: [("expect", "100-continue")]))
        async let running: Void = works.runAll()
        try await eventually("100 Continue") { try await frames() == ["headers 1"] }
        try await receive(Self.body([1, 2, 3], isLast: true))
        await running
        #expect(try await frames() == ["headers 1", "data 1 3 end"])
    }

    // MARK: Windows

    @Test("A response waits for the client's windows, and ends after its last byte")
    func windows() async throws {
        try await open { _, _ in Self.response(100_000) }
        try await receive(Self.get)
        await works.runAll()
        let first = try await frames()
        #expect(Self.bytes(of: first) == 65_535)
        #expect(first.last?.hasSuffix("end") == false)
        try await receive(HTTP2Frames.windowUpdate(by: 65_535) + HTTP2Frames.windowUpdate(on: 1, by: 65_535))
        let rest = try await frames()
        #expect(Self.bytes(of: rest) == 100_000 - 65_535)
        #expect(rest.last?.hasSuffix("end") == true)
    }

    private static func bytes(of frames: [String]) -> Int {
        frames.reduce(0) { sum, frame in
            let parts = frame.split(separator: " ")
            return parts[0] == "data" ? sum + (Int(parts[2]) ?? 0) : sum
        }
    }

    @Test("A client's window is opened as the request's body is read, and not before")
    func backPressure() async throws {
        try await open { request, _ in
            for try await _ in request.body {}
            return Response(status: .ok)
        }
        let piece = Self.body([UInt8](repeating: 0, count: 16_000))
        try await receive(Self.post + piece + piece + piece)
        #expect(try await frames(with: [.windowUpdate]) == ["windowUpdate 0"])
        async let running: Void = works.runAll()
        try await eventually("the window is opened") {
            try await frames(with: [.windowUpdate]) == ["windowUpdate 1"]
        }
        try await receive(HTTP2Frames.reset(1))
        await running
    }

    @Test("A stream whose window stays closed is reset")
    func stalled() async throws {
        try await open(
            preface: HTTP2Frames.preface + HTTP2Frames.frame(.settings, [0, 4, 0, 0, 0, 0])
        ) { _, _ in Self.response(10) }
        try await receive(Self.get)
        await works.runAll()
        #expect(try await frames() == ["headers 1"])
        await channel.testingEventLoop.advanceTime(by: .seconds(19))
        #expect(try await frames() == [])
        await channel.testingEventLoop.advanceTime(by: .seconds(21))
        #expect(try await frames() == ["reset 1 code 8"])
    }

    @Test("A response whose bytes have left is reset if its end waits for a window", arguments: [false, true])
    func stalledEnd(hasTrailers: Bool) async throws {
        let gate = Gate()
        try await open(preface: HTTP2Frames.preface + HTTP2Frames.frame(.settings, [0, 4, 0, 0, 0, 3])) { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(repeating: 1, count: 3))
                    await gate.pass()
                    try await writer.finish(hasTrailers ? [.contentType: "text/plain"] : nil)
                })
        }
        try await receive(Self.get)
        async let running: Void = works.runAll()
        try await eventually("the bytes leave") { try await frames().last == "data 1 3" }
        gate.open()
        await running
        #expect(try await frames() == [])
        for _ in 0..<2 { await channel.testingEventLoop.advanceTime(by: .seconds(21)) }
        #expect(try await frames() == ["reset 1 code 8"])
    }

    @Test("A request in a read with an error of the connection does not begin")
    func faulty() async throws {
        try await open()
        try await receive(Self.get + HTTP2Frames.frame(.data, on: 0, [1]))
        #expect(works.count == 0)
    }

    @Test("A response whose head is too large for HTTP/2 resets its stream")
    func largeHead() async throws {
        try await open { _, _ in
            Response(status: .ok, headers: [.contentType: String(repeating: "é", count: 70_000)])
        }
        try await receive(Self.get)
        await works.runAll()
        #expect(try await frames() == ["reset 1 code 2"])
    }

    @Test("Fields about connections of HTTP/1.1 are left out")
    func fieldsOfConnections() async throws {
        try await open { _, _ in Response(status: .noContent, headers: [.connection: "close", .server: "x"]) }
        try await receive(Self.get)
        await works.runAll()
        await channel.testingEventLoop.run()
        var bytes: [UInt8] = []
        while case .byteBuffer(let buffer) = try await channel.readOutbound(as: IOData.self) {
            bytes += Array(buffer: buffer)
        }
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        var names: [String] = []
        _ = HTTP2Frames.take(from: &bytes) { frame -> Void? in
            guard frame.type == .headers else { return nil }
            var block = ByteBuffer(bytes: frame.payload)
            names = (try? decoder.decodeHeaders(from: &block))?.map(\.name) ?? []
            return nil
        }
        #expect(names.contains("server") && !names.contains("connection"))
    }

    // MARK: Early ends

    @Test("A client may send its body after an early response, and is asked to stop at the request's deadline")
    func early() async throws {
        try await open { _, _ in Self.response(2) }
        try await receive(Self.post)
        await works.runAll()
        #expect(try await frames() == ["headers 1", "data 1 2 end"])
        let piece = Self.body([UInt8](repeating: 0, count: 16_000))
        try await receive(piece + piece + piece)
        #expect(try await frames(with: [.windowUpdate]).sorted() == ["windowUpdate 0", "windowUpdate 1"])
        await channel.testingEventLoop.advanceTime(by: .seconds(12))
        #expect(try await frames() == [])
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        #expect(try await frames() == ["reset 1 code 0"])
    }

    @Test("A body that does not arrive in time fails for its reader, whose response is still sent")
    func late() async throws {
        try await open { request, _ in
            do {
                _ = try await request.body.collect(upTo: 100)
                return Response(status: .ok)
            } catch is RequestTimedOut {
                return Self.response(3)
            }
        }
        try await receive(Self.post + Self.body([1]))
        await channel.testingEventLoop.advanceTime(by: .seconds(11))
        await works.runAll()
        #expect(try await frames() == ["headers 1", "data 1 3 end", "reset 1 code 0"])
    }

    @Test("A request that its client resets is cancelled, and does not begin if both arrive at once")
    func reset() async throws {
        let isCancelled = Atomic(false)
        try await open { _, _ in
            isCancelled.store(Task.isCancelled, ordering: .relaxed)
            return Response(status: .ok)
        }
        try await receive(Self.get)
        try await receive(HTTP2Frames.reset(1))
        try await receive(HTTP2Frames.request("GET", "/", on: 3, isWhole: true) + HTTP2Frames.reset(3))
        #expect(works.count == 1)
        await works.runAll()
        let wasCancelled = isCancelled.load(ordering: .relaxed)
        #expect(wasCancelled)
        #expect(try await frames() == [])
    }

    @Test(
        "A request right after the client's GOAWAY is answered, wherever the GOAWAY is cut",
        arguments: Array(1...16))
    func straggler(length: Int) async throws {
        try await open()
        let goAway = HTTP2Frames.frame(.goAway, [UInt8](repeating: 0, count: 8))
        try await receive(Array(goAway.prefix(length)))
        try await receive(goAway.dropFirst(length) + Self.get)
        await works.runAll()
        #expect(try await frames() == ["headers 1 end"])
    }

    @Test("Frames that arrive byte by byte are those that were sent")
    func singleBytes() async throws {
        try await open { request, _ in Self.response(try await request.body.collect(upTo: 100).readableBytes) }
        for byte in Self.post + HTTP2Frames.ping() + Self.body([1, 2, 3], isLast: true) { try await receive([byte]) }
        await works.runAll()
        #expect(try await frames() == ["headers 1", "data 1 3 end"])
    }

    @Test("A streaming call that begins after the server has announced its end is told so")
    func lateCall() async throws {
        try await open(router: { _ in .streaming { messages, _, _ in for try await _ in messages {} } })
        try await channel.testingEventLoop.executeInContext { [channel] in
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        try await receive(HTTP2Frames.request("POST", "/a.B/C", on: 1, more: [("content-type", "application/grpc")]))
        await works.runAll()
        #expect(try await frames() == ["headers 1 end", "reset 1 code 0"])
    }

    // MARK: Misuse

    @Test("A request with a head of more than 16 KiB, or with an invalid field, is reset and does not begin")
    func head() async throws {
        try await open()
        let fields = (0..<110).map { ("x\($0)", String(repeating: "a", count: 120)) }
        try await receive(HTTP2Frames.request("GET", "/", on: 1, more: fields, isWhole: true))
        #expect(try await frames() == ["reset 1 code 11"])
        try await receive(HTTP2Frames.request("GET", "/", on: 3, more: [("x-a", "a\u{1}")], isWhole: true))
        #expect(try await frames() == ["reset 3 code 1"])
        #expect(works.count == 0)
    }

    @Test("A flood of DATA frames with nothing but padding ends the connection")
    func padding() async throws {
        try await open()
        let frame = HTTP2Frames.frame(.data, flags: 0x8, on: 1, [1, 0])
        try await receive(Self.post + Array(repeatElement(frame, count: 900).joined()))
        #expect(try await frames(with: [.goAway]) == [])
        try await receive(Array(repeatElement(frame, count: 900).joined()))
        #expect(try await frames(with: [.goAway]).last == "goAway 0")
    }
}
