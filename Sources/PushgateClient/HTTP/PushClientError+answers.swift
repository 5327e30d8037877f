import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension PushClientError {
    /// Creates the error for an answer; `nil` for any 2xx, whose body is ignored.
    init?(_ response: GatewayResponse, now: Date) {
        let code = Self.code(in: response.body)
        let retryAfter = response.retryAfter.flatMap { RetryAfterValue.duration($0, now: now) }
        switch response.status {
        case 200..<300: return nil
        case 401: self = .unauthorized
        case 400, 413: self = .invalidRequest(status: response.status, code: code)
        case 429: self = .rateLimited(retryAfter: retryAfter)
        case 500...: self = .unavailable(status: response.status, retryAfter: retryAfter)
        default: self = .unexpectedAnswer(status: response.status, code: code)
        }
    }

    /// Creates the error for a missing answer. Of unknown errors only the type is kept, because their texts may contain
    /// the request.
    init(sending error: any Error) {
        switch error {
        case let error as PushClientError: self = error
        case is CancellationError: self = .cancelled
        case let error as URLError where error.code == .cancelled: self = .cancelled
        case let error as URLError: self = .unreachable(reason: Self.reason(of: error.code))
        default: self = .unreachable(reason: "\(type(of: error))")
        }
    }

    /// Returns the `x` of `{"error":"x"}`; `nil` unless it has the form of a code. Another server's answer may contain
    /// anything, including the request.
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

/// The value of `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
enum RetryAfterValue {
    /// The longest wait, so that a gateway cannot silence a device forever.
    static let longest = Duration.seconds(3_600)

    /// Returns the time to wait, at most ``longest``; `nil` if the value is malformed.
    static func duration(_ text: String, now: Date) -> Duration? {
        let text = text.trimmingBlanks()
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return min(Int64(text).map(Duration.seconds) ?? longest, longest)
        }
        return date(text).map { min(max(.zero, .seconds($0.timeIntervalSince(now))), longest) }
    }

    /// Parses an IMF-fixdate, the only form that a server may send (RFC 9110 §5.6.7).
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}
