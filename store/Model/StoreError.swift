/// The reason why the store could not fulfill a request.
///
/// The codes are gRPC's, as Firestore returns them
/// ([google.rpc.Code](https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)), so that the HTTP
/// surface maps them in one place and clients already know them.
public struct StoreError: Error, Sendable {
    /// The kind of failure; the raw value is gRPC's name for it.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request can never succeed: a bad path, value, query or transform.
        case invalidArgument = "INVALID_ARGUMENT"
        /// A write requires a document that does not exist.
        case notFound = "NOT_FOUND"
        /// A write requires that a document does not exist, but it exists.
        case alreadyExists = "ALREADY_EXISTS"
        /// The document is not in the state that the write requires.
        case failedPrecondition = "FAILED_PRECONDITION"
        /// Another commit intervened; the same request may succeed later.
        case aborted = "ABORTED"
        /// The calling task was cancelled.
        case cancelled = "CANCELLED"
        /// The disk is full; nothing was applied.
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        /// The store is closed or busy, or its file is not accessible.
        case unavailable = "UNAVAILABLE"
        /// The file is damaged, or contains data that this engine did not write.
        case dataLoss = "DATA_LOSS"
        /// Any other failure, which is a defect.
        case `internal` = "INTERNAL"
    }

    /// The kind of failure, for programs.
    public let code: Code
    /// The problem and the remedy, for a developer or an operator.
    public let message: String
    /// The error of the layer below, for the log; never sent to clients.
    public let cause: (any Error)?

    /// Makes an error of the given kind.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible {
    /// The code, the message and, if there is one, the cause.
    public var description: String { "\(code.rawValue): \(explanation)" }

    /// The message and, if there is one, the cause.
    package var explanation: String { message + (cause.map { " (\($0))" } ?? "") }
}

extension StoreError {
    static func invalid(_ message: String) -> StoreError { StoreError(.invalidArgument, message) }
}
