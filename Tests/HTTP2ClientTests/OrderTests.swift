import HTTP2Client
import NIOCore
import Synchronization
import TestDoubles
import Testing

@Suite("Requests that keep their order", .timeLimit(.minutes(10)))
struct OrderTests {
    /// A client and a server, the number of good answers so far, and the requests that failed.
    private final class Stage: Sendable {
        let server: FrameServer
        let client: HTTP2Client
        private let count = Mutex(0)
        private let failed = Mutex<[(size: Int, error: HTTP2ClientError)]>([])

        init(_ server: FrameServer) {
            self.server = server
            client = server.client()
        }

        var answers: Int { count.withLock(\.self) }
        /// The sizes of the requests that failed.
        var failures: [Int] { failed.withLock { $0.map(\.size) } }
        var errors: [HTTP2ClientError] { failed.withLock { $0.map(\.error) } }

        /// The sizes of all bodies, in the order of their arrival at any connection.
        var sizes: [Int] { server.record.frames(.data).map(\.frame.payload.count) }

        /// Sends a request without waiting for its answer.
        func send(to path: String, body: Int = 0, keepsOrder: Bool, deadline: Duration = .seconds(60)) {
            var request = server.request(body: body, deadline: deadline)
            (request.path, request.keepsOrder) = (path, keepsOrder)
            client.execute(request) { [self] result in
                switch result {
                case .success: count.withLock { $0 += 1 }
                case .failure(let error): failed.withLock { $0.append((body, error)) }
                }
            }
        }

        /// Lets the first connection carry more than one request.
        func proveConnection() async { #expect(await client.failure(of: server.request()) == nil) }
    }

    /// An answer that a server holds back until it may be given, which can be before its request arrives.
    private final class HeldAnswer: Sendable {
        private let state = Mutex<(answer: (@Sendable () -> Void)?, isGiven: Bool)>((nil, false))

        func hold(_ answer: @escaping @Sendable () -> Void) {
            let isGiven = state.withLock { state in
                state.answer = answer
                return state.isGiven
            }
            if isGiven { answer() }
        }

        func give() {
            let answer = state.withLock { state in
                state.isGiven = true
                return state.answer
            }
            answer?()
        }
    }

    /// Returns a stage whose connections carry one request each. The second request of the first one is answered later.
    private func holdingStage() async throws -> (stage: Stage, answer: HeldAnswer) {
        let held = HeldAnswer()
        let stage = Stage(
            try await FrameServer(settings: [.maximumStreams: 1]) { frame, connection in
                guard frame.endsRequest else { return }
                let answer: @Sendable () -> Void = { connection.send(.answer(to: frame.stream)) }
                if connection.number == 1, frame.stream == 3 { held.hold(answer) } else { answer() }
            })
        await stage.proveConnection()
        return (stage, held)
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
        let (stage, held) = try await holdingStage()
        stage.send(to: "/a", body: 1, keepsOrder: true)
        stage.send(to: "/a", body: 2, keepsOrder: true)
        stage.send(to: "/b", body: 3, keepsOrder: true)
        try await eventually("the other request is answered") { stage.answers == 1 }
        #expect(stage.sizes.sorted() == [1, 3])
        held.give()
        try await eventually("all are answered") { stage.answers == 3 }
        #expect(stage.sizes.last == 2 && stage.sizes.count == 3)
        await stage.server.stop()
    }

    @Test("The deadline of a request that waits for an earlier one says nothing about other requests")
    func expiredWhileWaiting() async throws {
        let (stage, held) = try await holdingStage()
        stage.send(to: "/a", body: 1, keepsOrder: true)
        stage.send(to: "/a", body: 2, keepsOrder: true, deadline: .seconds(3))
        stage.send(to: "/b", body: 3, keepsOrder: true)
        try await eventually("the second request fails") { stage.failures == [2] }
        let error = try #require(stage.errors.first)
        #expect(error.kind == .timedOut && error.isUnprocessed && !error.isWithoutConnection)
        #expect(error.message.contains("waited for an earlier one"))
        try await eventually("the other request is answered") { stage.answers == 1 }
        held.give()
        stage.send(to: "/a", body: 4, keepsOrder: true)
        try await eventually("all others are answered") { stage.answers == 3 }
        #expect(stage.sizes.sorted() == [1, 3, 4])
        await stage.server.stop()
    }

    @Test("A request that is cancelled while it waits for an earlier one is not sent, and holds up no later one")
    func cancelledWhileWaiting() async throws {
        let (stage, held) = try await holdingStage()
        stage.send(to: "/a", body: 1, keepsOrder: true)
        stage.send(to: "/a", body: 2, keepsOrder: true)
        stage.send(to: "/b", body: 3, keepsOrder: true)
        try await eventually("the other request is answered") { stage.answers == 1 }
        stage.client.cancel { $0.body.count == 2 }
        try await eventually("the second request fails") { stage.failures == [2] }
        #expect(stage.errors.map(\.kind) == [.cancelled])
        held.give()
        stage.send(to: "/a", body: 4, keepsOrder: true)
        try await eventually("all others are answered") { stage.answers == 3 }
        #expect(stage.sizes.sorted() == [1, 3, 4] && stage.failures == [2])
        await stage.server.stop()
    }

    @Test("A client that is shut down ends a request that waits for an earlier one, without a new connection")
    func shutDownWhileWaiting() async throws {
        let (stage, _) = try await holdingStage()
        stage.send(to: "/a", body: 1, keepsOrder: true)
        stage.send(to: "/a", body: 2, keepsOrder: true)
        stage.send(to: "/b", body: 3, keepsOrder: true)
        try await eventually("the other request is answered") { stage.answers == 1 }
        await stage.client.shutdown(within: .zero)
        #expect(stage.failures == [1, 2])
        #expect(stage.errors.map(\.kind) == [.closed, .closed])
        #expect(stage.client.statistics.inFlight == 0 && stage.client.statistics.connectionsOpened == 2)
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
