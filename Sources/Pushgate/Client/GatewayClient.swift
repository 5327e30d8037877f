import Foundation
import HTTPClient
import HTTPTypes
import JSON
import Logging

/// An HTTP client for a gateway, which sends one request per call.
struct GatewayClient {
    let baseURL: String

    struct Answer {
        let status: Int
        let bytes: [UInt8]
        /// The bytes as JSON; `null` if they are none.
        var body: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
    }

    /// An answer that is larger than the caller takes.
    struct AnswerTooLarge: Error, CustomStringConvertible {
        let description = "the gateway's answer is too large"
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, body: JSONValue? = nil,
        deadline: Duration = .seconds(90)
    ) async throws -> Answer {
        try await send(method, path, bearer: bearer, bytes: body?.serialized, deadline: deadline)
    }

    /// Sends a request whose body is JSON in UTF-8.
    ///
    /// - Throws: ``AnswerTooLarge``; ``CommandError`` if there is no answer.
    func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String?, bytes: [UInt8]?,
        deadline: Duration = .seconds(90), maximumResponseBytes: Int = 1 << 20
    ) async throws -> Answer {
        var configuration = HTTPClient.Configuration()
        configuration.maximumResponseBytes = maximumResponseBytes
        let client = HTTPClient(
            configuration: configuration,
            logger: Logger(label: "pushgate.command", factory: { _ in SwiftLogNoOpLogHandler() }))
        var headerFields: HTTPFields = [.connection: "close"]
        headerFields[.authorization] = bearer.map { "Bearer \($0)" }
        if bytes != nil { headerFields[.contentType] = "application/json" }
        let request = HTTPClientRequest(
            method: method, url: baseURL + path, headerFields: headerFields, body: bytes ?? [],
            deadline: deadline, version: .http1)
        do {
            let response = try await client.execute(request)
            return Answer(status: response.statusCode, bytes: Array(response.body))
        } catch {
            if error.kind == .responseTooLarge { throw AnswerTooLarge() }
            throw CommandError(explanation(of: error))
        }
    }

    private func explanation(of error: HTTPClientError) -> String {
        switch (error.kind, error.curlCode) {
        case (.tls, Self.handshakeFailed):
            "\(baseURL) does not speak TLS. A gateway speaks plain HTTP: use http://\(baseURL.withoutScheme), or the URL "
                + "of a TLS proxy in front of it."
        case (.tls, _):
            "the certificate at \(baseURL) is not trusted by this machine (\(error.message)). Use the host name in the "
                + "certificate, or trust its certificate authority."
        default:
            "no gateway answers at \(baseURL) (\(Self.words(for: error.kind))). "
                + "Start one with “pushgate serve”, or name it with --server."
        }
    }

    private static func words(for kind: HTTPClientError.Kind) -> String {
        switch kind {
        case .timedOut: "it took too long"
        case .couldNotConnect: "nothing listens there, or the host name cannot be resolved"
        case .connectionLost, .refused: "the connection was closed before an answer"
        case .invalidRequest: "the URL is not valid"
        case .tls, .addressRefused, .cancelled, .closed, .responseTooLarge, .other: kind.rawValue
        }
    }

    /// CURLE_SSL_CONNECT_ERROR (`libcurl-errors(3)`).
    private static let handshakeFailed = 35

    /// Sends a request and returns the body of the answer.
    ///
    /// - Throws: ``CommandError`` for any status but 200.
    func succeed(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, body: JSONValue? = nil,
        deadline: Duration = .seconds(90)
    ) async throws -> JSONValue {
        try Self.success(try await send(method, path, bearer: bearer, body: body, deadline: deadline))
    }

    /// Returns the body of an answer.
    ///
    /// - Throws: ``CommandError`` for any status but 200.
    static func success(_ answer: Answer) throws -> JSONValue {
        try check(answer)
        return answer.body
    }

    /// Checks the status of an answer.
    ///
    /// - Throws: ``CommandError`` for any status but 200.
    static func check(_ answer: Answer) throws {
        guard answer.status == 200 else { throw CommandError(explanation(of: answer)) }
    }

    /// Returns a sentence for an error answer in Google's format, or with a function's code.
    private static func explanation(of answer: Answer) -> String {
        if let message = answer.body["error"]?["message"]?.shown { return message }
        guard let code = answer.body["error"]?.shown else {
            return "no gateway endpoint answered: the status was \(answer.status). Check the URL"
        }
        return "the gateway answered \(answer.status) \(code): \(answer.body["message"]?.shown ?? hint)"
    }

    /// The words for the code of an older gateway, which sends no message beside it.
    private static let hint = "docs/functions/codeagents.md explains the code"
}

extension String {
    /// The URL without its scheme and `://`.
    fileprivate var withoutScheme: Substring { self[(range(of: "://")?.upperBound ?? startIndex)...] }
}

/// The failure of a verb, as a sentence for the user. The exit code is 1.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
