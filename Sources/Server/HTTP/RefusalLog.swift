package import HTTPTypes
package import Hummingbird
package import IPAddresses
package import Logging

/// The log of refused requests: ten lines a minute at the level `info`, with the reason that the client got.
///
/// Reasons contain no secret: they are the texts of responses.
package struct RefusalLog: Sendable {
    private static let linesPerMinute = 10
    private static let longestReason = 300

    /// The resolver of the clients that the log names.
    package let clientAddress: ClientAddress
    private let log: LimitedLog

    package init(clientAddress: ClientAddress, logger: Logger) {
        self.clientAddress = clientAddress
        log = LimitedLog(linesPerMinute: Self.linesPerMinute, logger: logger)
    }

    /// Reports the refusal of a request. Responses with other statuses are no refusals.
    ///
    /// - Parameter endpoint: The name of the endpoint. It is never the path, in which some clients send secrets.
    package func report(
        _ status: HTTPResponse.Status, _ reason: @autoclosure () -> String, at endpoint: String, _ request: Request,
        _ context: GatewayRequestContext
    ) {
        report(
            status, reason(), at: endpoint,
            from: clientAddress.client(peer: context.peer, headerFields: request.headers))
    }

    /// Reports the refusal of a client's call.
    package func report(
        _ status: HTTPResponse.Status, _ reason: @autoclosure () -> String, at endpoint: String,
        from client: @autoclosure () -> IPAddress?
    ) {
        guard Self.isRefusal(status) else { return }
        log.log(
            .info, "refused a request",
            metadata: [
                "status": "\(status.code)", "reason": "\(reason().prefix(Self.longestReason))",
                "endpoint": "\(endpoint)", "client": "\(client()?.limitKey ?? "unknown")",
            ])
    }

    private static func isRefusal(_ status: HTTPResponse.Status) -> Bool {
        switch status {
        case .badRequest, .unauthorized, .forbidden, .unprocessableContent, .tooManyRequests: true
        default: false
        }
    }
}
