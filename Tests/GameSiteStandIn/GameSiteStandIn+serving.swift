import HTTPTypes
import Hummingbird
import JSON
package import Logging
import NIOCore
import Synchronization

extension GameSiteStandIn {
    /// Serves on loopback until the task is cancelled.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free one.
    ///   - isListening: Called once with the address.
    package func serve(
        port: Int = 0, logger: Logger, isListening: @escaping @Sendable (String) async -> Void
    ) async throws {
        let server = Application(
            responder: CallbackResponder { (request, _: BasicRequestContext) in try await self.respond(to: request) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
                self.state.withLock { $0.url = url }
                await isListening(url)
            },
            logger: logger)
        try await server.run()
    }

    private func respond(to request: Request) async throws -> Response {
        let path = request.uri.path.split(separator: "/").map(String.init)
        if path.first == "control" { return try await control(request, Array(path.dropFirst())) }
        guard request.method == .get, path.count == 5, path[...2] == ["api", "v1", "players"], path[4] == "full",
            let player = Int64(path[3])
        else { return Response(status: .notFound) }
        return try await respond(about: player, request)
    }

    private func respond(about player: Int64, _ request: Request) async throws -> Response {
        let answer = begin(player, userAgent: request.headers[.userAgent])
        defer { end() }
        if answer.delay > .zero { try await Task.sleep(for: answer.delay) }
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.retryAfter] = answer.retryAfter.map(String.init)
        if (300..<400).contains(answer.status) { headers[.location] = "/api/v1/players/\(player + 1)/full" }
        return Response(status: .init(code: answer.status), headers: headers, json: answer.body)
    }

    /// Handles a control request of another process, with the same effect as this type's methods.
    private func control(_ request: Request, _ path: [String]) async throws -> Response {
        let bytes = try await request.body.collect(upTo: 64 << 20)
        let body = (try? JSONValue(parsing: Array(bytes.readableBytesView))) ?? .null
        switch (request.method, path.first, path.dropFirst().first.flatMap { Int64($0) }) {
        case (.get, "asked", nil):
            return Response(json: .array(asked.map { [.integer($0.player), .double($0.at / .seconds(1))] }))
        case (.delete, "asked", nil): forgetAsked()
        case (.put, "games", let player?): play((body.array ?? []).compactMap(PlayedGame.init), by: player)
        case (.put, "answers", let player?): self.answer(about: player, with: SiteAnswer(body))
        case (.put, "answers", nil): answerEverybody(with: SiteAnswer(body))
        default: return Response(status: .notFound)
        }
        return Response(json: [:])
    }
}

extension Response {
    fileprivate init(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [.contentType: "application/json"], json: JSONValue?
    ) {
        self.init(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json?.serialized ?? [])))
    }
}
