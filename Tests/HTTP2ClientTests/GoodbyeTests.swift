import HTTP2Client
import TestDoubles
import Testing

@Suite("HTTP/2 server that ends a connection", .timeLimit(.minutes(10)))
struct GoodbyeTests {
    @Test("A request lost after GOAWAY fails with the text of that GOAWAY")
    func lost() async throws {
        let text = #"{"reason":"TooManyProviderTokens"}"#
        let server = try await FrameServer { frame, connection in
            guard frame.endsRequest else { return }
            connection.send(.goAway(last: frame.stream, text))
            connection.close()
        }
        let error = await server.client().failure(of: server.request())
        #expect(error?.kind == .connectionLost && error?.isUnprocessed == false && error?.goAwayText == text)
        await server.stop()
    }

    @Test("A request above GOAWAY's last stream moves to another connection, and those below are answered")
    func aboveLast() async throws {
        let server = try await FrameServer { frame, connection in
            guard frame.endsRequest else { return }
            guard connection.number == 1, frame.stream > 3 else { return connection.send(.answer(to: frame.stream)) }
            connection.send(.goAway(last: 3, ""))
        }
        let client = server.client()
        #expect(await client.failure(of: server.request()) == nil)
        let request = server.request()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { #expect(await client.failure(of: request) == nil) } }
        }
        let requests = server.record.frames(.headers)
        #expect(requests.contains { $0.connection == 1 && $0.frame.stream > 3 })
        #expect(server.record.connections == 2 && requests.count { $0.connection == 2 } == 19)
        #expect(server.record.frames(.reset).isEmpty)
        await server.stop()
    }

    @Test("A request that is refused repeatedly fails as unprocessed")
    func refusedForEver() async throws {
        let server = try await FrameServer { frame, connection in
            guard frame.endsRequest else { return }
            connection.send(Frame(kind: .reset, stream: frame.stream, payload: UInt32(7).bigEndianBytes))
        }
        let error = await server.client().failure(of: server.request())
        #expect(error?.kind == .refused && error?.isUnprocessed == true)
        await server.stop()
    }
}
