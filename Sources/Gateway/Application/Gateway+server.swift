internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The HTTP server of a gateway.
extension Gateway {
    /// Connections waiting to be taken: SDKs open as many as 500 at once.
    private static let backlog = 1_024
    /// How long a connection may stay open without a request.
    private static let idleTimeout = TimeAmount.seconds(75)

    var server: any Service {
        let timeout = TimeAmount(configuration.http.requestTimeout)
        return Application(
            responder: AnyResponder(responder: responder),
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [RequestDeadlineHandler(timeout: timeout)],
                    idleTimeout: Self.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.http.host, port: configuration.http.port), backlog: Self.backlog),
            onServerRunning: { channel in await listening(on: channel) },
            logger: serverLogger)
    }

    private func listening(on channel: any Channel) async {
        let port = channel.localAddress?.port ?? configuration.http.port
        let host = configuration.http.host
        let url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        do {
            try directory.noteAddress(url)
        } catch {
            logger.warning("the command line will not find this gateway by itself", metadata: ["error": "\(error)"])
        }
        address.announce(url)
    }

    /// The server's own start and stop messages are the banner's business.
    private var serverLogger: Logger {
        var logger = logger
        if logger.logLevel == .info { logger.logLevel = .notice }
        return logger
    }
}

/// Lets a responder of any type stand where one type is asked for.
private struct AnyResponder: HTTPResponder {
    let responder: any HTTPResponder<GatewayRequestContext>

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        let response = try await responder.respond(to: request, context: context)
        // RFC 9110 §9.3.2: a body here would be taken for the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension GatewayError {
    /// What a failure to start or run means to whoever started it.
    init(startFailure error: any Error, _ http: GatewayConfiguration.HTTP) {
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self.init(
                "port \(http.port) on \(http.host) is taken. Stop what listens there, or set http.port (0 takes any).")
        } else if let error = error as? GatewayError {
            self = error
        } else {
            self.init("the gateway stopped: \(error)")
        }
    }
}
