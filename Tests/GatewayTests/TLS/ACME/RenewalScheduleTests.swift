import ACME
import Cryptography
import DocumentStore
import Testing

@testable import Gateway

@Suite("The schedule of a certificate")
struct RenewalScheduleTests {
    private static let start: Int64 = 1_767_225_600
    private static let day: Int64 = 86_400
    private let certificate: CertificateFacts
    private var schedule = RenewalSchedule()

    init() throws {
        let authority = try CertificateAuthority(commonName: "test", validity: .seconds(86_400))
        certificate = try CertificateFacts(pem: authority.certificatePEM)
    }

    /// Returns a time a number of seconds after the certificate's beginning.
    private func time(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: certificate.notBefore * 1_000_000 + Int64(seconds * 1_000_000))
    }

    private var life: Double { Double(certificate.notAfter - certificate.notBefore) }

    @Test("Without a certificate an attempt is due at once, and the authority is not asked for a window")
    func none() {
        #expect(schedule.isDue(at: time(0)) && !schedule.isQuestionDue(at: time(0)))
    }

    @Test("A certificate is due between two thirds of its life and a thirtieth later", arguments: [0.0, 0.5, 1.0])
    mutating func renewal(jitter: Double) {
        schedule.use(certificate, jitter: jitter)
        let due = life * (2.0 / 3 + jitter / 30)
        #expect(!schedule.isDue(at: time(due - 2)) && schedule.isDue(at: time(due + 1)))
        // The same certificate, read again, does not choose another time.
        schedule.use(certificate, jitter: 1 - jitter)
        #expect(!schedule.isDue(at: time(due - 2)) && schedule.isDue(at: time(due + 1)))
    }

    @Test("Failed attempts pause for twice as long each time, from 2 minutes to 12 hours")
    mutating func failures() {
        var now = time(0)
        var pauses: [Duration] = []
        for _ in 0..<11 {
            let next = schedule.fail(retryAfter: nil, at: now, jitter: 0)
            #expect(!schedule.isDue(at: next.adding(.seconds(-1))) && schedule.isDue(at: next))
            pauses.append(next - now)
            now = next
        }
        #expect(pauses.prefix(5) == [.seconds(120), .seconds(240), .seconds(480), .seconds(960), .seconds(1_920)])
        #expect(pauses.last == .seconds(12 * 3_600))
        // Let's Encrypt permits five failures for a name in an hour.
        let times = pauses.reduce(into: [Duration.zero]) { $0.append($0[$0.count - 1] + $1) }
        for start in times { #expect(times.count { $0 >= start && $0 < start + .seconds(3_600) } <= 5) }
    }

    @Test("A pause is at least as long as the authority asks for, and at most a week")
    mutating func retryAfter() {
        #expect(schedule.fail(retryAfter: .seconds(7_200), at: time(0), jitter: 0) == time(7_200))
        #expect(schedule.fail(retryAfter: .seconds(1), at: time(0), jitter: 0) == time(240))
        #expect(schedule.fail(retryAfter: .seconds(Int64.max / 4), at: time(0), jitter: 1) == time(7 * 86_400))
    }

    @Test("A reload ends a pause, and so does a clock that was set back")
    mutating func end() {
        _ = schedule.fail(retryAfter: nil, at: time(1_000), jitter: 0)
        #expect(!schedule.isDue(at: time(1_001)) && schedule.isDue(at: time(500)))
        schedule.retry()
        #expect(schedule.isDue(at: time(1_001)))
    }

    @Test("The authority's window replaces the own time, and is chosen from once")
    mutating func window() {
        schedule.use(certificate, jitter: 0)
        let beginning = certificate.notBefore
        let window = RenewalWindow(start: beginning + 1_000, end: beginning + 2_000, retryAfter: .seconds(600))
        schedule.suggest(window, at: time(0), jitter: 0.5)
        #expect(!schedule.isDue(at: time(1_499)) && schedule.isDue(at: time(1_500)))
        #expect(!schedule.isQuestionDue(at: time(599)) && schedule.isQuestionDue(at: time(600)))
        schedule.suggest(window, at: time(600), jitter: 0)
        #expect(!schedule.isDue(at: time(1_499)))
        // A revoked certificate has a window in the past.
        schedule.suggest(
            RenewalWindow(start: beginning - 100, end: beginning, retryAfter: .seconds(600)), at: time(600), jitter: 1)
        #expect(schedule.isDue(at: time(600)))
    }
}
