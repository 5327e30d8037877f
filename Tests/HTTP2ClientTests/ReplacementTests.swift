import HTTP2Client
import TestDoubles
import Testing

@Suite("Request that follows a cancelled one", .timeLimit(.minutes(10)))
struct ReplacementTests {
    /// Returns a server that never answers the first request.
    private func server() async throws -> FrameServer {
        try await FrameServer { frame, connection in
            if frame.endsRequest, frame.stream > 1 { connection.send(.answer(to: frame.stream)) }
        }
    }

    @Test("Its stream comes after the reset, on the same connection")
    func sameConnection() async throws {
        let server = try await server()
        let client = server.client()
        async let first = client.failure(of: server.request())
        try await eventually("the request arrives") { !server.record.frames(.headers).isEmpty }
        client.cancel { $0.path == "/" }
        let second = await client.failure(of: server.request())
        #expect(await first?.kind == .cancelled)
        #expect(second == nil)
        #expect(server.record.connections == 1)
        let kinds = server.record.all.filter { $0.kind == .headers || $0.kind == .reset }
        #expect(kinds.map(\.kind) == [.headers, .reset, .headers])
        #expect(kinds.map(\.stream) == [1, 1, 3])
        await server.stop()
    }

    @Test("Requests that do not match stay")
    func others() async throws {
        let server = try await server()
        let client = server.client()
        async let first = client.failure(of: server.request(deadline: .seconds(3)))
        try await eventually("the request arrives") { !server.record.frames(.headers).isEmpty }
        client.cancel { $0.path == "/other" }
        #expect(await first?.kind == .timedOut)
        await server.stop()
    }
}
