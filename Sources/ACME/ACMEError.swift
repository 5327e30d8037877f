import Cryptography
import HTTPClient
import JSON

/// The reason why a certificate authority did not do what was asked of it.
///
/// Its text is for an operator's log. It contains no key and no key authorization.
package struct ACMEError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The authority refused with a problem document (RFC 7807), of a type without the prefix of ACME's types,
        /// such as `rateLimited` (RFC 8555 §6.7).
        case refused(type: String)
        /// The authority could not be reached, or did not answer in time.
        case unreachable
        /// The answer does not have the form of RFC 8555.
        case unexpected
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of failure.
    package let kind: Kind
    /// The reason in words.
    package let description: String
    /// The time after which the authority wants to be asked again; `nil` if it names none.
    package var retryAfter: Duration?
}

extension ACMEError {
    /// Creates an error for an answer that cannot be understood.
    static func unexpected(_ reason: String) -> ACMEError { ACMEError(kind: .unexpected, description: reason) }

    static let cancelled = ACMEError(kind: .cancelled, description: "cancelled")

    /// Creates an error of a request without an answer.
    init(_ error: HTTPClientError) {
        self.init(kind: error.kind == .cancelled ? .cancelled : .unreachable, description: "no answer: \(error)")
    }

    /// Creates an error of a failure in this program.
    init(_ error: CryptographyError) { self.init(kind: .unexpected, description: error.description) }

    /// Creates an error of an answer with a status of 400 or more.
    init(_ response: HTTPClientResponse) {
        let problem = Problem(try? JSONValue(parsing: response.body))
        self.init(
            kind: problem.map { .refused(type: $0.type) } ?? (response.statusCode >= 500 ? .unreachable : .unexpected),
            description: problem?.description ?? "the authority answered with status \(response.statusCode)",
            retryAfter: response.retryAfter)
    }
}

/// A problem document (RFC 7807) of an ACME server.
struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The type, without the prefix of ACME's own types.
    let type: String
    /// The explanation, cut to a length for a log.
    let detail: String

    /// Reads a document; `nil` if there is no type.
    init?(_ json: JSONValue?) {
        guard let type = json?["type"]?.string else { return nil }
        self.type = type.hasPrefix(Self.prefix) ? String(type.dropFirst(Self.prefix.count)) : type
        // An order for one name has at most one subproblem, which says more than the problem itself.
        let detail = json?["subproblems"]?[0]?["detail"]?.string ?? json?["detail"]?.string ?? "no explanation"
        self.detail = String(detail.prefix(500))
    }

    var description: String { "\(type): \(detail)" }

    private static let prefix = "urn:ietf:params:acme:error:"
}
