import HTTP2Client
import NIOCore
import Synchronization
import TestDoubles
import Testing

@Suite("Requests that keep their order", .timeLimit(.minutes(10)))
struct OrderTests {
    /// A client and a server, the number of good answers so far, and the sizes of the requests that failed.
    private final class Stage: Sendable {
        let server: FrameServer
        let client: HTTP2Client
        private let count = Mutex(0)
        private let failed = Mutex<[Int]>([])

        init(_ server: FrameServer) {
            self.server = server
            client = server.client()
        }

        var answers: Int { count.withLock(\.self) }
        var failures: [Int] { failed.withLock(\.self) }

        /// The sizes of all bodies, in the order of their arrival at any connection.
        var sizes: [Int] { server.record.frames(.data).map(\.frame.payload.count) }

        /// Sends a request without waiting for its answer.
        func send(to path: String, body: Int = 0, keepsOrder: Bool) {
            var request = server.request(body: body)
            (request.path, request.keepsOrder) = (path, keepsOrder)
            client.execute(request) { [self] result in
                switch result {
                case .success: count.withLock { $0 += 1 }
                case .failure: failed.withLock { $0.append(body) }
                }
            }
        }

        /// Lets the first connection carry more than one request.
        func proveConnection() async { #expect(await client.failure(of: server.request()) == nil) }
    }

    @Test("A server sees the requests for one path in their order, while others use several connections")
    func severalConnections() async throws {
        let stage = Stage(
            try await FrameServer(settings: [.maximumStreams: 10]) { frame, connection in
                guard frame.endsRequest else { return }
                guard frame.stream > 1 else { return connection.send(.answer(to: 1)) }
                connection.channel.eventLoop.scheduleTask(in: .milliseconds(2)) {
                    connection.send(.answer(to: frame.stream))
                }
            })
        await stage.proveConnection()
        for size in 1...60 {
            stage.send(to: "/a", body: size, keepsOrder: true)
            for number in 0..<3 { stage.send(to: "/\(size)/\(number)", keepsOrder: true) }
        }
        try await eventually("all are answered") { stage.answers == 240 }
        #expect(stage.sizes == Array(1...60))
        #expect(stage.server.record.connections > 1)
        await stage.server.stop()
    }

    @Test("Requests that a connection has left out follow in their order on the next one")
    func afterGoodbye() async throws {
        let stage = Stage(
            try await FrameServer { frame, connection in
                guard frame.endsRequest else { return }
                guard connection.number == 1, frame.stream > 3 else {
                    return connection.send(.answer(to: frame.stream))
                }
                connection.send(.goAway(last: 3, ""))
            })
        await stage.proveConnection()
        for size in 1...20 { stage.send(to: "/a", body: size, keepsOrder: true) }
        try await eventually("all are answered") { stage.answers == 20 }
        let later = stage.server.record.frames(.data).filter { $0.connection > 1 }
        #expect(later.map(\.frame.payload.count) == Array(2...20))
        await stage.server.stop()
    }

    @Test("Requests of a lost connection fail in their order, so that they can be sent again in it")
    func lost() async throws {
        let stage = Stage(
            try await FrameServer { frame, connection in
                guard frame.endsRequest else { return }
                if frame.stream == 1 { connection.send(.answer(to: 1)) }
                if frame.kind == .data, frame.payload.count == 20 { connection.close() }
            })
        await stage.proveConnection()
        for size in 1...20 { stage.send(to: "/a", body: size, keepsOrder: true) }
        try await eventually("all fail") { stage.failures.count == 20 }
        #expect(stage.failures == Array(1...20))
        await stage.server.stop()
    }

    @Test("A request that waits for an earlier one delays no other, and follows the answer")
    func waiting() async throws {
        let held = Mutex<(@Sendable () -> Void)?>(nil)
        let stage = Stage(
            try await FrameServer(settings: [.maximumStreams: 1]) { frame, connection in
                guard frame.endsRequest else { return }
                let answer: @Sendable () -> Void = { connection.send(.answer(to: frame.stream)) }
                guard connection.number == 1, frame.stream == 3 else { return answer() }
                held.withLock { $0 = answer }
            })
        await stage.proveConnection()
        stage.send(to: "/a", body: 1, keepsOrder: true)
        stage.send(to: "/a", body: 2, keepsOrder: true)
        stage.send(to: "/b", body: 3, keepsOrder: true)
        try await eventually("the other request is answered") { stage.answers == 1 }
        #expect(stage.sizes == [1, 3])
        held.withLock(\.self)?()
        try await eventually("all are answered") { stage.answers == 3 }
        #expect(stage.sizes == [1, 3, 2])
        await stage.server.stop()
    }

    @Test("Requests that keep no order use a new connection if the first is full")
    func withoutOrder() async throws {
        let stage = Stage(
            try await FrameServer(settings: [.maximumStreams: 1]) { frame, connection in
                guard frame.endsRequest, connection.number > 1 || frame.stream == 1 else { return }
                connection.send(.answer(to: frame.stream))
            })
        await stage.proveConnection()
        stage.send(to: "/a", body: 1, keepsOrder: false)
        stage.send(to: "/a", body: 2, keepsOrder: false)
        try await eventually("the second one is answered") { stage.answers == 1 }
        #expect(stage.server.record.connections == 2)
        await stage.server.stop()
    }
}
