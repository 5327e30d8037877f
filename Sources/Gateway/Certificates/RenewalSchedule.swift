import ACME
import Cryptography
import DocumentStore

/// The time at which a certificate is obtained or renewed, without I/O.
struct RenewalSchedule: Sendable {
    private var certificate: CertificateFacts?
    /// The time of the renewal of ``certificate``.
    private var renewal: Timestamp?
    private var window: RenewalWindow?
    private var pause: Range<Timestamp>?
    private var failures = 0
    /// The time to ask the authority for its window.
    private var question: Timestamp?

    /// Takes note of the certificate in use.
    ///
    /// - Parameters:
    ///   - certificate: The certificate; `nil` if there is none.
    ///   - jitter: A random number from 0 to 1, so that not all gateways renew at the same time of the day.
    mutating func use(_ certificate: CertificateFacts?, jitter: Double) {
        guard certificate != self.certificate else { return }
        self = RenewalSchedule()
        self.certificate = certificate
        guard let certificate else { return }
        // A thirtieth of the life is three days of ninety.
        let life = Double(certificate.notAfter - certificate.notBefore)
        let age = life * (2.0 / 3 + jitter / 30)
        renewal = Timestamp(microseconds: (certificate.notBefore + Int64(age)) * 1_000_000)
    }

    /// Takes note of the authority's window, in which a time is chosen once (RFC 9773 §4.2).
    ///
    /// - Parameter window: The window; `nil` if the authority names none.
    mutating func suggest(_ window: RenewalWindow?, at now: Timestamp, jitter: Double) {
        question = now.adding(window?.retryAfter ?? Self.questionInterval)
        guard let window, window != self.window else { return }
        self.window = window
        let time = window.start + Int64(Double(window.end - window.start) * jitter)
        renewal = Timestamp(microseconds: time * 1_000_000)
    }

    /// Takes note of a failed attempt: the next one is after a pause that doubles from 2 minutes to 12 hours, so that
    /// an hour has at most five attempts, as Let's Encrypt permits.
    ///
    /// - Returns: The time of the next attempt.
    mutating func fail(retryAfter: Duration?, at now: Timestamp, jitter: Double) -> Timestamp {
        let doubled = min(Self.shortestPause * (1 << min(failures, 16)), Self.longestPause)
        let pause = max(doubled * (1 + jitter / 10), min(retryAfter ?? .zero, Self.longestWait))
        failures += 1
        self.pause = now..<now.adding(pause)
        return now.adding(pause)
    }

    /// Ends the pause after failed attempts.
    mutating func retry() { pause = nil }

    /// Returns `true` if a certificate is to be obtained now.
    func isDue(at now: Timestamp) -> Bool { !isPaused(at: now) && renewal.map { now >= $0 } ?? true }

    /// Returns `true` during the pause after a failed attempt. A clock that was set back has left it.
    func isPaused(at now: Timestamp) -> Bool { pause?.contains(now) ?? false }

    /// The time of the next attempt; `nil` for at once.
    var next: Timestamp? { [renewal, pause?.upperBound].compactMap(\.self).max() }

    /// Returns `true` if the authority is to be asked for its window.
    func isQuestionDue(at now: Timestamp) -> Bool { certificate != nil && question.map { now >= $0 } ?? true }

    private static let shortestPause = Duration.seconds(120)
    private static let longestPause = Duration.seconds(12 * 3_600)
    /// The longest wait that an authority can ask for: its limits are by the week.
    private static let longestWait = Duration.seconds(7 * 24 * 3_600)
    private static let questionInterval = Duration.seconds(6 * 3_600)
}
