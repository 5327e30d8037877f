import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestDoubles

/// A receiver of webhooks on a free port of loopback, which answers with given statuses, and then 204.
final class WebhookReceiver: Sendable {
    /// A request that arrived.
    struct Received: Sendable {
        let path: String
        let headerFields: HTTPFields
        let body: [UInt8]

        /// Returns the value of a field; empty if it is absent.
        func field(_ name: String) -> String { HTTPField.Name(name).flatMap { headerFields[$0] } ?? "" }
    }

    private struct State {
        var port = 0
        var received: [Received] = []
        var statuses: [Int]
    }

    private let state: Mutex<State>

    fileprivate init(statuses: [Int]) { state = Mutex(State(statuses: statuses)) }

    var url: String { "http://127.0.0.1:\(state.withLock(\.port))" }
    var received: [Received] { state.withLock(\.received) }

    fileprivate func listens(on port: Int) { state.withLock { $0.port = port } }

    fileprivate func respond(to request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 1 << 20)
        let received = Received(
            path: request.uri.path, headerFields: request.headers, body: Array(body.readableBytesView))
        let status = state.withLock { state in
            state.received.append(received)
            return state.statuses.isEmpty ? 204 : state.statuses.removeFirst()
        }
        let headers: HTTPFields = (300...399).contains(status) ? [.location: "/elsewhere"] : [:]
        return Response(status: .init(code: status), headers: headers)
    }
}

/// Runs a receiver while the body runs.
func withWebhookReceiver<Output>(
    answering statuses: [Int] = [], _ body: (WebhookReceiver) async throws -> Output
) async throws -> Output {
    let receiver = WebhookReceiver(statuses: statuses)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let server = Application(
        responder: CallbackResponder { (request, _: BasicRequestContext) in try await receiver.respond(to: request) },
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
            throw ReceiverNeverListened()
        }
        receiver.listens(on: port)
        defer { tasks.cancelAll() }
        return try await body(receiver)
    }
}

private struct ReceiverNeverListened: Error {}
