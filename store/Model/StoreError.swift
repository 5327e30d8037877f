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

    /// Takes a message that clients may see, and a cause that they do not.
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

/// The failures of commits that are applied nevertheless, or not.
extension StoreError {
    /// The cause of such a failure, with that of the error.
    private struct UnknownOutcome: Error, CustomStringConvertible {
        let cause: (any Error)?

        var description: String { "it is not known if the commit is applied" + (cause.map { ": \($0)" } ?? "") }
    }

    /// `true` if the commit may be applied nevertheless, because the engine has lost the server after it has sent the
    /// commit.
    package var mayBeApplied: Bool { cause is UnknownOutcome }

    /// The same error, of a commit that may be applied nevertheless.
    package var ofUnknownOutcome: StoreError { StoreError(code, message, cause: UnknownOutcome(cause: cause)) }
}

/// The errors that all engines have in common.
extension StoreError {
    /// The error of a call after the engine was closed.
    package static let closed = StoreError(.unavailable, "the document store is closed")
    /// The error of a call in a cancelled task.
    package static let cancelled = StoreError(.cancelled, "the task was cancelled")
    /// The error of a read at a time whose state is not kept.
    package static let tooOld = StoreError(.failedPrecondition, "The requested 'read_time' is too old.")
    /// The error of a transaction whose reads have changed, or may have changed.
    package static let conflict = StoreError(
        .aborted, "Transaction was aborted because a document it read has changed; retry it.")
    /// The error of a commit that depends on what another engine may have changed meanwhile.
    package static let outdated = StoreError(
        .aborted, "Another gateway has changed documents since they were read; read them again.")
    /// The message of a failure that is a defect. The cause is for the log.
    package static let failureMessage = "the document store failed"

    static func invalid(_ message: String) -> StoreError { StoreError(.invalidArgument, message) }
}
