internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// One of the ports of a gateway, and how connections to it are spoken with. The same is answered at all of them.
struct Listener: Service {
    /// Connections waiting to be taken: SDKs open as many as 500 at once.
    private static let backlog = 1_024

    /// The configuration key of the port.
    let key: String
    let host: String
    /// 0 takes any free port.
    let port: Int
    /// What its URL begins with.
    var scheme = "http"
    let connections: HTTPServerBuilder
    var responder: AnyResponder
    let address: ListeningAddress
    /// Told before anybody else is, and where programs of this machine reach it.
    var onListening: @Sendable (String) -> Void = { _ in }
    /// Closed when descriptors run out.
    let openConnections: OpenConnections
    let logger: Logger

    func run() async throws {
        let application = Application(
            responder: responder, server: connections,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), backlog: Self.backlog),
            onServerRunning: { channel in
                try? await channel.pipeline.addHandler(
                    AcceptFailureHandler(connections: openConnections), position: .first)
                let port = channel.localAddress?.port ?? port
                onListening(url(GatewayAddresses.loopback(insteadOf: host) ?? host, port))
                address.announce(url(host, port))
            },
            logger: logger)
        do {
            try await application.run()
        } catch {
            if let error = GatewayError(listeningFailure: error, host: host, port: port, key: key) { throw error }
            throw error
        }
    }

    private func url(_ host: String, _ port: Int) -> String {
        GatewayAddresses.url(scheme: scheme, host: host, port: port)
    }
}

/// The ports of a gateway, which open together and close together: a service group would close one after the other, and
/// new requests would come in by the last while the first still waits for its clients.
struct Listeners: Service {
    private let listeners: [Listener]

    init(_ listeners: [Listener]) { self.listeners = listeners }

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for listener in listeners { group.addTask { try await listener.run() } }
        }
    }
}

/// Lets a responder of any type stand where one type is asked for.
struct AnyResponder: HTTPResponder {
    let responder: any HTTPResponder<GatewayRequestContext>
    /// `true` if its listener is for clients that look for Google.
    var isForGoogle = false

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        var context = context
        context.isForGoogle = isForGoogle
        let response = try await answer(to: request.withNormalizedPath, context)
        // RFC 9110 §9.3.2: a body here would be taken for the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(to request: Request, _ context: GatewayRequestContext) async throws -> Response {
        do {
            let request = try request.meetingExpectation(on: context.channel)
            return try await responder.respond(to: request, context: context)
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        }
    }
}
