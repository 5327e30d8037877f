import Foundation
import HTTPTransport
import HTTPTypes
import JSON
import Logging

/// Talks to a gateway over HTTP, one request a call, as its own clients do.
struct GatewayClient {
    let baseURL: String

    struct Answer {
        let status: Int
        let body: JSONValue
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, body: JSONValue? = nil,
        deadline: Duration = .seconds(90)
    ) async throws -> Answer {
        let client = HTTPClient(logger: Logger(label: "pushgate.command", factory: { _ in SwiftLogNoOpLogHandler() }))
        var headerFields: HTTPFields = [.connection: "close"]
        headerFields[.authorization] = bearer.map { "Bearer \($0)" }
        if body != nil { headerFields[.contentType] = "application/json" }
        let request = HTTPClientRequest(
            method: method, url: baseURL + path, headerFields: headerFields, body: body?.serialized ?? [],
            deadline: deadline, version: .http1)
        do {
            let response = try await client.execute(request)
            return Answer(status: response.statusCode, body: (try? JSONValue(parsing: response.body)) ?? .null)
        } catch {
            throw CommandError(explanation(of: error))
        }
    }

    private func explanation(of error: HTTPClientError) -> String {
        switch (error.kind, error.curlCode) {
        case (.tls, Self.handshakeFailed):
            "\(baseURL) does not speak TLS. A gateway speaks plain HTTP: name it as http://\(baseURL.withoutScheme), or by "
                + "the proxy in front of it that speaks TLS."
        case (.tls, _):
            "the certificate at \(baseURL) is not trusted by this machine (\(error.message)). Name the gateway as its "
                + "certificate does, or have its authority trusted."
        default:
            "no gateway answers at \(baseURL) (\(Self.words(for: error.kind))). "
                + "Start one with “pushgate serve”, or name it with --server."
        }
    }

    private static func words(for kind: HTTPClientError.Kind) -> String {
        switch kind {
        case .timedOut: "it took too long"
        case .couldNotConnect: "nothing listens there, or the name has no address"
        case .connectionLost, .refused: "the connection was closed before an answer"
        case .invalidRequest: "this is no address that can be asked"
        case .responseTooLarge: "the answer is too large"
        case .tls, .cancelled, .closed, .other: kind.rawValue
        }
    }

    /// CURLE_SSL_CONNECT_ERROR, `libcurl-errors(3)`.
    private static let handshakeFailed = 35

    /// As ``send(_:_:bearer:body:deadline:)``, and anything but 200 is an error.
    func succeed(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, body: JSONValue? = nil,
        deadline: Duration = .seconds(90)
    ) async throws -> JSONValue {
        try Self.success(try await send(method, path, bearer: bearer, body: body, deadline: deadline))
    }

    /// Returns the answer's body.
    ///
    /// - Throws: for anything but 200.
    static func success(_ answer: Answer) throws -> JSONValue {
        guard answer.status == 200 else { throw CommandError(explanation(of: answer)) }
        return answer.body
    }

    /// The gateway's error in words: Google's shape, or a function's code.
    private static func explanation(of answer: Answer) -> String {
        if let message = answer.body["error"]?["message"]?.string { return message }
        guard let code = answer.body["error"]?.string else {
            return "what answers is no gateway, or another part of one: it answered \(answer.status)"
        }
        return "the gateway answered \(answer.status) \(code): \(hint(for: code))"
    }

    private static func hint(for code: String) -> String {
        switch code {
        case "unauthorized":
            "the secret is too short or too long, or has other characters than letters, digits and +/=_-"
        case "app_not_configured": "add the bundle id to the gateway's apps, as docs/apns.md says"
        case "rate_limited": "too many requests; the limits are in docs/functions/codeagents.md"
        case "unavailable":
            "the gateway cannot write at the moment. Its log says why; its disk may have less room than "
                + "data.minimumFreeBytes"
        case "payload_too_large": "the request is larger than 16,384 bytes; shorten what it says"
        case "bad_request": "a value is missing or has the wrong form; docs/functions/codeagents.md has each field's"
        case let code where code.hasSuffix("_too_long"): "shorten \(code.dropLast("_too_long".count))"
        default: "docs/functions/codeagents.md says what it means"
        }
    }
}

extension String {
    /// The URL's text behind `://`.
    fileprivate var withoutScheme: Substring { self[(range(of: "://")?.upperBound ?? startIndex)...] }
}
