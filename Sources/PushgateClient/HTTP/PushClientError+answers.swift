internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension PushClientError {
    /// The error that an answer is; nil for any 2xx, whose body does not matter.
    init?(_ response: GatewayResponse, now: Date) {
        let code = Self.code(in: response.body)
        let retryAfter = response.retryAfter.flatMap { RetryAfter.duration($0, now: now) }
        switch response.status {
        case 200..<300: return nil
        case 401: self = .unauthorized
        case 400, 413: self = .invalidRequest(status: response.status, code: code)
        case 429: self = .rateLimited(retryAfter: retryAfter)
        case 500...: self = .unavailable(status: response.status, retryAfter: retryAfter)
        default: self = .unexpectedAnswer(status: response.status, code: code)
        }
    }

    /// The error that the lack of an answer is. Of foreign errors only the type is kept: their texts may quote the request.
    init(sending error: any Error) {
        switch error {
        case let error as PushClientError: self = error
        case is CancellationError: self = .cancelled
        case let error as URLError where error.code == .cancelled: self = .cancelled
        case let error as URLError: self = .unreachable(reason: Self.reason(of: error.code))
        default: self = .unreachable(reason: "\(type(of: error))")
        }
    }

    /// The `x` of `{"error":"x"}`, if it looks like a code: a stranger's answer may hold anything, the request too.
    private static func code(in body: Data) -> String? {
        struct Failure: Decodable { let error: String }
        guard let code = try? JSONDecoder().decode(Failure.self, from: body).error, (1...64).contains(code.utf8.count),
            code.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") })
        else { return nil }
        return code
    }

    private static func reason(of code: URLError.Code) -> String {
        switch code {
        case .timedOut: "timed out"
        case .notConnectedToInternet: "no connection to the internet"
        case .cannotFindHost, .dnsLookupFailed: "the host is not known"
        case .cannotConnectToHost: "nothing listens there"
        case .networkConnectionLost: "the connection was lost"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            "no trusted TLS connection"
        default: "URLError \(code.rawValue)"
        }
    }
}
