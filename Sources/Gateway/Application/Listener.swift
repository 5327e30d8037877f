import Foundation
import Hummingbird
import HummingbirdCore
import Instance
import Logging
import NIOCore
import Server
import ServiceLifecycle

/// A listening port of a gateway and its kind of connection. All ports serve the same routes.
struct Listener: Service {
    /// The number of connections that may wait to be accepted: SDKs open up to 500 at once.
    private static let backlog = 1_024

    /// The configuration key of the port.
    let key: String
    var host: String
    /// The port to listen on; 0 takes any free port.
    let port: Int
    /// The URL's scheme.
    var scheme = "http"
    let connections: GatewayConnections.Kind
    var responder: AnyResponder
    let address: ListeningAddress
    /// A function called with the URL for programs on this machine, before `address` is announced.
    var onListening: @Sendable (String) -> Void = { _ in }
    /// The open connections, of which idle ones are closed if file descriptors run out.
    let openConnections: OpenConnections
    let logger: Logger

    func run() async throws {
        let responder = responder
        let application = Application(
            responder: responder,
            server: connections { request, context in try await responder.respond(to: request, context: context) },
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

/// The ports of a gateway, which open and close together. A service group would close them one after the other, and
/// new requests would arrive at the last port while the first still waits for its clients.
struct Listeners: Service {
    private let listeners: [Listener]

    init(_ listeners: [Listener]) { self.listeners = listeners }

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for listener in listeners { group.addTask { try await listener.run() } }
        }
    }
}

/// A responder that wraps a responder of any type, for APIs that need one concrete type.
struct AnyResponder: HTTPResponder {
    let responder: any HTTPResponder<GatewayRequestContext>
    /// The hosts under which clients reach the listener, besides the names of the gateway.
    var hosts: [String] = []

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        var context = context
        context.listenerHosts = hosts
        context.target = request.head.path
        let id = RequestID.make()
        var response = try await RequestID.$current.withValue(id) { [context] in
            try await answer(to: request.withNormalizedPath, context)
        }
        if let field = RequestID.field { response.headers[field] = id }
        // RFC 9110 §9.3.2: a client would read a body here as the beginning of the next response.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(to request: Request, _ context: GatewayRequestContext) async throws -> Response {
        do {
            let request = try request.meetingExpectation(in: context)
            return try await responder.respond(to: request, context: context)
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        }
    }
}
