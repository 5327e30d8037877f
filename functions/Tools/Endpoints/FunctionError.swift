import DocumentStore
import HTTPTypes
import JSON
package import Logging
import Metrics

/// An error of a system, as clients receive it.
package protocol FunctionError: Error {
    /// The error's code, as the metric counts it.
    var code: String { get }
    /// The response to the request that failed.
    var response: FunctionResponse { get }

    /// Nothing was accepted; the store cannot write at the moment.
    static var unavailable: Self { get }
    /// Nothing was accepted; the disk is full.
    static var noRoom: Self { get }
    /// The gateway is at fault.
    static var internalError: Self { get }

    /// Creates the system's error for a body that is not a JSON object, or cannot be read.
    init(_ error: JSONBodyError)
    /// Returns the system's error for another error that its handlers may throw, or `nil` if the gateway is at fault.
    static func translation(of error: any Error) -> Self?
}

extension FunctionError {
    package static func translation(of error: any Error) -> Self? { nil }

    /// Returns a handler that also turns errors into responses.
    ///
    /// - Parameter function: The name for the metric, as in ``mapAndReport(_:in:_:)``.
    package static func answering(
        in function: String, _ logger: Logger,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        answering(in: function, logger, respond: { error, _ in error.response }, work)
    }

    /// Returns a handler that also turns errors into responses of its own.
    ///
    /// - Parameters:
    ///   - function: The name for the metric, as in ``mapAndReport(_:in:_:)``.
    ///   - respond: Returns the response to the request that failed.
    static func answering(
        in function: String, _ logger: Logger,
        respond: @escaping @Sendable (Self, FunctionRequest) async -> FunctionResponse,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        { request in
            do {
                return try await work(request)
            } catch {
                return await respond(mapAndReport(error, in: function, logger), request)
            }
        }
    }

    /// Converts any error into an error for clients and counts it. It logs the error if the gateway is at fault.
    ///
    /// - Parameter function: The function, or the system for all of its endpoints.
    package static func mapAndReport(_ error: any Error, in function: String, _ logger: Logger) -> Self {
        let known = translated(error, in: function, logger)
        Counter(
            label: "pushgate_function_rejections_total", dimensions: [("function", function), ("code", known.code)]
        ).increment()
        return known
    }

    private static func translated(_ error: any Error, in function: String, _ logger: Logger) -> Self {
        switch error {
        case let error as Self: return error
        case let error as JSONBodyError: return Self(error)
        case let error as FileStorageError where error.isOutOfRoom: return .noRoom
        case let error as FileStorageError:
            logger.error("failed to read or write a file", metadata: ["function": "\(function)", "error": "\(error)"])
            return .unavailable
        // The client cancelled its request, or the gateway stops.
        case is CancellationError: return .unavailable
        case let error as StoreError where error.code == .cancelled: return .unavailable
        case let error as StoreError where error.code == .resourceExhausted:
            // The component that detected the full disk has logged it, once for all requests.
            logger.debug("found no room on the disk", metadata: ["function": "\(function)", "error": "\(error)"])
            return .noRoom
        case let error as StoreError where error.code == .unavailable:
            logger.error("failed to reach the store", metadata: ["function": "\(function)", "error": "\(error)"])
            return .unavailable
        default:
            if let translation = translation(of: error) { return translation }
            logger.error(
                "failed with an unexpected error", metadata: ["function": "\(function)", "error": "\(error)"])
            return .internalError
        }
    }
}

extension FunctionResponse {
    /// Makes the response to a failed request of a client with a bearer key. The status decides its header fields: the
    /// scheme of the key (RFC 9110 §11.6.1) or the accepted encodings (§15.5.16).
    ///
    /// - Parameter seconds: The delay after which a retry may succeed.
    init(error status: HTTPResponse.Status, retryAfter seconds: Int64?, body: JSONValue) {
        var headerFields: HTTPFields = [:]
        if status == .unauthorized { headerFields[.wwwAuthenticate] = "Bearer" }
        if status == .unsupportedMediaType { headerFields[.acceptEncoding] = RequestBodyError.acceptedEncodings }
        headerFields[.retryAfter] = seconds.map(String.init)
        self.init(status: status, headerFields: headerFields, body: body)
    }
}

/// The advice to a client if the gateway's disk has no room for a request.
enum DiskAdvice {
    static let text = "The gateway's disk is full or nearly full, so nothing was accepted. The operator must free space"
}
