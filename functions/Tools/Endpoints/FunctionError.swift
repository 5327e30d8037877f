internal import DocumentStore
internal import Logging
internal import Metrics

/// An error of a system as its clients see it.
protocol FunctionError: Error {
    /// Which it is, for the metric.
    var code: String { get }
    var response: FunctionResponse { get }

    /// Nothing was accepted; the store cannot write at the moment.
    static var unavailable: Self { get }
    /// Nothing was accepted; there is no room on the disk.
    static var noRoom: Self { get }
    static var internalError: Self { get }
}

extension FunctionError {
    /// Answers requests, errors too.
    ///
    /// - Parameter function: as of ``known(_:in:_:)``.
    static func answering(
        in function: String, _ logger: Logger,
        _ work: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
    ) -> Endpoint.Handler {
        { request in
            do {
                return try await work(request)
            } catch {
                return known(error, in: function, logger).response
            }
        }
    }

    /// What clients are told of an error; it is counted, and logged when it is nobody's mistake but ours.
    ///
    /// - Parameter function: the function, or the system for all of its endpoints.
    static func known(_ error: any Error, in function: String, _ logger: Logger) -> Self {
        let known = translated(error, in: function, logger)
        Counter(
            label: "pushgate_function_rejections_total", dimensions: [("function", function), ("code", known.code)]
        ).increment()
        return known
    }

    private static func translated(_ error: any Error, in function: String, _ logger: Logger) -> Self {
        switch error {
        case let error as Self: return error
        // The client has taken its request back, or the gateway stops.
        case is CancellationError: return .unavailable
        case let error as StoreError where error.code == .cancelled: return .unavailable
        case let error as StoreError where error.code == .resourceExhausted:
            // The lack of room was logged where it was found out, once for all requests.
            logger.debug("no room on the disk", metadata: ["function": "\(function)", "error": "\(error)"])
            return .noRoom
        case let error as StoreError where error.code == .unavailable:
            logger.error("store unavailable", metadata: ["function": "\(function)", "error": "\(error)"])
            return .unavailable
        default:
            logger.error("unexpected error", metadata: ["function": "\(function)", "error": "\(error)"])
            return .internalError
        }
    }
}
