import Functions
import HTTPTypes
import Hummingbird
import JSON
import Logging

/// The log of refused requests: ten lines a minute at the level `info`, with the reason that the client got.
///
/// Reasons contain no secret: they are the texts of responses.
struct RefusalLog: Sendable {
    private static let linesPerMinute = 10
    private static let longestReason = 300

    let clientAddress: ClientAddress
    private let log: LimitedLog

    init(clientAddress: ClientAddress, logger: Logger) {
        self.clientAddress = clientAddress
        log = LimitedLog(linesPerMinute: Self.linesPerMinute, logger: logger)
    }

    /// Reports the refusal of a request. Responses with other statuses are no refusals.
    ///
    /// - Parameter endpoint: The name of the endpoint. It is never the path, in which some clients send secrets.
    func report(
        _ status: HTTPResponse.Status, _ reason: @autoclosure () -> String, at endpoint: String, _ request: Request,
        _ context: GatewayRequestContext
    ) {
        report(
            status, reason(), at: endpoint,
            from: clientAddress.client(peer: context.peer, headerFields: request.headers))
    }

    /// Reports the refusal of a client's call.
    func report(
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

extension FunctionResponse {
    /// The reason of a refusal, in the form of any system: `{"error":"CODE"}`, also with `message`,
    /// `{"error":{"code":"CODE","message":"TEXT"}}`, or a text.
    var reason: String {
        switch content {
        case .json(let body):
            let error = body["error"]
            let parts = [error?.string, error?["code"]?.string, error?["message"]?.string, body["message"]?.string]
            let texts = parts.compactMap(\.self)
            return texts.isEmpty ? status.reasonPhrase : texts.joined(separator: ": ")
        case .text(let text): return String(text.prefix { !$0.isNewline })
        case .none, .html, .file: return status.reasonPhrase
        }
    }
}
