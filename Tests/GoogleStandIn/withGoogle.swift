import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Synchronization
import TestDoubles

/// Runs a stand-in for Google's side on a free port of loopback while the body runs.
package func withGoogle<Output>(_ body: (GoogleStandIn) async throws -> Output) async throws -> Output {
    let google = try GoogleStandIn()
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let server = Application(
        responder: CallbackResponder { (request, _: BasicRequestContext) in try await google.respond(to: request) },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
        logger: .silent)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { listening.finish() }
            try await server.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await tasks.waitForAll()
            throw GoogleNeverListened()
        }
        google.state.withLock { $0.url = "http://127.0.0.1:\(port)" }
        defer { tasks.cancelAll() }
        return try await body(google)
    }
}

/// The stand-in ended before it listened, without an error.
struct GoogleNeverListened: Error {}

extension GoogleStandIn {
    fileprivate func respond(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let answer = answer(
            to: IncomingRequest(
                method: request.method, path: request.uri.path, authority: request.head.authority ?? "",
                headerFields: request.headers, body: Array(body.readableBytesView)))
        await answer.gate?.pass()
        return answer.response
    }
}

extension GoogleAnswer {
    fileprivate var response: Response {
        var headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
        headers[.retryAfter] = retryAfter.map(String.init)
        return Response(
            status: .init(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.serialized)))
    }
}
