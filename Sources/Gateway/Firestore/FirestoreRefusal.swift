import FirestoreAPI
import HTTPTypes
import JSON
import Server

extension RefusalLog {
    /// Reports the status of a call, if it is that of a refusal. Preconditions of writes that are not met are none.
    ///
    /// - Parameter endpoint: The method over gRPC, or the name of the REST interface.
    func report(_ status: FirestoreStatus, at endpoint: String, _ request: FirestoreRequest) {
        guard status.isRefusal else { return }
        report(
            HTTPResponse.Status(code: status.code.httpStatus), "\(status.name): \(status.message)", at: endpoint,
            from: clientAddress.client(peer: request.peer, headerFields: request.headerFields))
    }
}

extension FirestoreStatus {
    fileprivate var isRefusal: Bool {
        switch code {
        case .invalidArgument, .unauthenticated, .permissionDenied, .resourceExhausted: true
        default: false
        }
    }
}

extension RESTAnswer {
    /// The status of an answer that reports an error; `nil` for other answers.
    var refusal: FirestoreStatus? {
        guard status >= 400, case .bytes(let bytes) = body, let error = (try? JSONValue(parsing: bytes))?["error"],
            let name = error["status"]?.string,
            let code = FirestoreStatus.Code.allCases.first(where: { $0.name == name })
        else { return nil }
        return FirestoreStatus(code, error["message"]?.string ?? "")
    }
}
