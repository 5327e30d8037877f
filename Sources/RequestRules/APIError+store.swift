package import DocumentStore
import HTTPTypes
package import Server

extension APIError {
    /// Translates an error of the store.
    package init(_ error: StoreError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .invalidArgument, .failedPrecondition: .badRequest
            case .notFound: .notFound
            case .alreadyExists, .aborted: .conflict
            case .resourceExhausted, .unavailable: .serviceUnavailable
            default: .internalServerError
            }
        self.init(status: status, name: error.code.rawValue, message: error.message)
        if status == .serviceUnavailable { headers[.retryAfter] = "5" }
    }
}
