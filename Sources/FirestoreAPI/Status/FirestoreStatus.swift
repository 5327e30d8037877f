package import DocumentStore

/// The failure of a call: gRPC's code, and a text for a developer.
package struct FirestoreStatus: Error, Hashable, Sendable {
    /// gRPC's codes ([google.rpc.Code](https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)).
    package enum Code: Int, Hashable, Sendable, CaseIterable {
        case ok = 0
        case cancelled
        case unknown
        case invalidArgument
        case deadlineExceeded
        case notFound
        case alreadyExists
        case permissionDenied
        case resourceExhausted
        case failedPrecondition
        case aborted
        case outOfRange
        case unimplemented
        case `internal`
        case unavailable
        case dataLoss
        case unauthenticated
    }

    /// The kind of failure, for programs.
    package let code: Code
    /// The problem, for a developer.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension FirestoreStatus {
    /// Makes the status of an error of the store. The cause stays behind: it is for the log.
    package init(_ error: StoreError) {
        self.init(Code(error.code), error.message)
    }

    /// Makes the status of any error: its own, the store's, or that of a call whose client has gone.
    package init(catching error: any Error) {
        switch error {
        case let status as FirestoreStatus: self = status
        case let error as StoreError: self.init(error)
        case is CancellationError: self.init(.cancelled, "The call was cancelled.")
        default: self.init(.unknown, "The call failed.")
        }
    }

    /// Returns the status of a request that can never succeed.
    package static func invalid(_ message: String) -> FirestoreStatus { FirestoreStatus(.invalidArgument, message) }

    /// gRPC's name of the code, such as `INVALID_ARGUMENT`.
    package var name: String { code.name }
}

extension FirestoreStatus.Code {
    /// Makes the code of an error of the store.
    init(_ code: StoreError.Code) {
        self =
            switch code {
            case .invalidArgument: .invalidArgument
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .failedPrecondition: .failedPrecondition
            case .aborted: .aborted
            case .cancelled: .cancelled
            case .resourceExhausted: .resourceExhausted
            case .unavailable: .unavailable
            case .dataLoss: .dataLoss
            case .internal: .internal
            }
    }

    /// gRPC's name of the code, such as `INVALID_ARGUMENT`.
    package var name: String {
        switch self {
        case .ok: "OK"
        case .cancelled: "CANCELLED"
        case .unknown: "UNKNOWN"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .deadlineExceeded: "DEADLINE_EXCEEDED"
        case .notFound: "NOT_FOUND"
        case .alreadyExists: "ALREADY_EXISTS"
        case .permissionDenied: "PERMISSION_DENIED"
        case .resourceExhausted: "RESOURCE_EXHAUSTED"
        case .failedPrecondition: "FAILED_PRECONDITION"
        case .aborted: "ABORTED"
        case .outOfRange: "OUT_OF_RANGE"
        case .unimplemented: "UNIMPLEMENTED"
        case .internal: "INTERNAL"
        case .unavailable: "UNAVAILABLE"
        case .dataLoss: "DATA_LOSS"
        case .unauthenticated: "UNAUTHENTICATED"
        }
    }
}
