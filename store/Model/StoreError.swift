/// Why the store did not do what it was asked.
///
/// The codes are gRPC's, as Firestore answers them
/// ([google.rpc.Code](https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)), so that the HTTP
/// surface maps them in one place and clients know them already.
public struct StoreError: Error, Sendable {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request can never succeed: a bad path, value, query or transform.
        case invalidArgument = "INVALID_ARGUMENT"
        /// A write needed a document that is not there.
        case notFound = "NOT_FOUND"
        /// A write needed a document not to be there.
        case alreadyExists = "ALREADY_EXISTS"
        /// The document is not in the state the write named.
        case failedPrecondition = "FAILED_PRECONDITION"
        /// Another commit came between; the same request may succeed when tried again.
        case aborted = "ABORTED"
        /// The task that asked was cancelled.
        case cancelled = "CANCELLED"
        /// The disk is full; nothing was applied.
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        /// The store is closed, busy, or its file cannot be reached.
        case unavailable = "UNAVAILABLE"
        /// The file is damaged, or holds what this engine did not write.
        case dataLoss = "DATA_LOSS"
        /// Anything else; a defect.
        case `internal` = "INTERNAL"
    }

    public let code: Code
    /// What was wrong and what to do about it, for a developer or an operator.
    public let message: String
    /// What the layer below reported, for the log; never for the wire.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        let reason = cause.map { " (\($0))" } ?? ""
        return "\(code.rawValue): \(message)\(reason)"
    }
}

extension StoreError {
    static func invalid(_ message: String) -> StoreError { StoreError(.invalidArgument, message) }
}
