package import Cryptography
import Foundation
package import HTTPClient
import JSON

/// The time in which an authority wants a certificate to be renewed (ACME Renewal Information, RFC 9773 §4.2).
package struct RenewalWindow: Hashable, Sendable {
    /// The beginning, in seconds since 1970. It is in the past if the certificate is to be renewed at once, as after
    /// its revocation.
    package let start: Int64
    /// The end, in seconds since 1970.
    package let end: Int64
    /// The time after which to ask again.
    package let retryAfter: Duration

    package init(start: Int64, end: Int64, retryAfter: Duration) {
        self.start = start
        self.end = end
        self.retryAfter = retryAfter
    }
}

extension RenewalWindow {
    /// Returns the authority's window for a certificate; `nil` if the authority offers no renewal information. It needs
    /// no account.
    package static func of(
        _ certificate: CertificateFacts, directory: String, http: HTTPClient
    ) async throws(ACMEError) -> RenewalWindow? {
        let directory = try await Directory.read(directory, http)
        guard let base = directory.renewalInfo, let id = certificate.renewalID else { return nil }
        let answer = try await http.answer(to: HTTPClientRequest(url: "\(base)/\(id)"))
        guard answer.statusCode < 400 else { throw ACMEError(answer) }
        let window = try? JSONValue(parsing: answer.body)["suggestedWindow"]
        guard let start = window?["start"]?.string.flatMap(seconds), let end = window?["end"]?.string.flatMap(seconds),
            start <= end
        else { throw .unexpected("renewal information lacks a window") }
        return RenewalWindow(
            start: start, end: end, retryAfter: min(max(answer.retryAfter ?? usual, shortest), longest))
    }

    private static func seconds(_ text: String) -> Int64? {
        (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            .map { Int64($0.timeIntervalSince1970) }
    }

    private static let usual = Duration.seconds(6 * 3_600)
    /// The bounds of RFC 9773 §4.3.2 for the time between two questions.
    private static let shortest = Duration.seconds(60)
    private static let longest = Duration.seconds(24 * 3_600)
}

extension CertificateFacts {
    /// The identifier of a certificate for renewal information (RFC 9773 §4.1); `nil` if the certificate does not name
    /// its authority's key.
    package var renewalID: String? {
        authorityKeyIdentifier.map { "\(Base64URL.encode($0)).\(Base64URL.encode(serialNumber))" }
    }
}
