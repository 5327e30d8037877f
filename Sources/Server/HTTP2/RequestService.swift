import GRPC
import HTTPTypes
import Hummingbird
import Logging

/// The work of requests on streams of HTTP/2, the same for all connections of a listener.
struct RequestService: Sendable {
    let respond: RequestResponder
    let limits: RequestLimits
    let logger: Logger
    let load = HTTP2Load()
    private let date = ResponseDate()

    init(respond: @escaping RequestResponder, limits: RequestLimits, logger: Logger) {
        self.respond = respond
        self.limits = limits
        self.logger = logger
    }

    /// Responds to a request, and writes the response.
    func answer(_ request: Request, _ context: GatewayRequestContext, to output: ResponseOutput) async {
        let response = await responseOrError(to: request, context)
        output.begin(fields(of: response), length: response.body.contentLength)
        do {
            try await response.body.write(ResponseOutputWriter(output: output))
        } catch {
            logger.debug("failed to write a response", metadata: ["error": "\(error)"])
        }
        output.fail()
    }

    private func responseOrError(to request: Request, _ context: GatewayRequestContext) async -> Response {
        do {
            return try await respond(request, context)
        } catch {
            logger.debug("failed to respond to a request", metadata: ["error": "\(error)"])
            return Response(status: .internalServerError)
        }
    }

    /// The fields about a connection of HTTP/1.1, which HTTP/2 forbids (RFC 9113 §8.2.2).
    private static let ofConnections: Set<HTTPField.Name> = {
        let names = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        return Set(names.compactMap { HTTPField.Name($0) })
    }()

    private func fields(of response: Response) -> HTTP2Fields {
        var fields = HTTP2Fields()
        fields.reserveCapacity(response.headers.count + 2)
        fields.add(name: ":status", value: String(response.status.code))
        for field in response.headers where field.name != .date && !Self.ofConnections.contains(field.name) {
            fields.add(name: field.name.canonicalName, value: field.value)
        }
        fields.add(name: "date", value: date.text)
        return fields
    }
}

extension HTTPRequest {
    /// Takes the fields of a request that nghttp2 has checked; `nil` for a method that is not a token.
    init?(_ fields: HTTP2Fields) {
        var method: HTTPRequest.Method?
        var scheme: String?
        var authority: String?
        var path: String?
        var host: String?
        var headerFields = HTTPFields()
        headerFields.reserveCapacity(fields.count)
        for (name, value) in fields {
            switch name {
            case ":method": method = HTTPRequest.Method(value)
            case ":scheme": scheme = value
            case ":authority": authority = value
            case ":path": path = value
            default:
                guard let fieldName = HTTPField.Name(parsed: name) else { continue }
                if name == "host" { host = value }
                headerFields.append(HTTPField(name: fieldName, value: value))
            }
        }
        guard let method else { return nil }
        // RFC 9113 §8.3.1: a request that was translated from HTTP/1.1 may have a Host alone.
        self.init(
            method: method, scheme: scheme, authority: authority ?? host, path: path, headerFields: headerFields)
    }
}

extension HTTP2Fields {
    /// Takes the fields of a response's trailers.
    init(_ trailers: HTTPFields) {
        self.init()
        for field in trailers { add(name: field.name.canonicalName, value: field.value) }
    }
}
