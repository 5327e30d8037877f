import Testing

@testable import Functions

@Suite("Back-off of a host", .timeLimit(.minutes(10)))
struct HostBackoffTests {
    /// A wrapper for macros, which cannot call mutating functions.
    private final class Host {
        private var backoff = HostBackoff()

        func admit(_ asker: HostBackoff.Asker = .gateway, at now: Duration) -> HostBackoff.Admission? {
            backoff.admit(asker, at: now)
        }
        func isCurrent(_ admission: HostBackoff.Admission) -> Bool { backoff.isCurrent(admission) }
        func succeeded(_ admission: HostBackoff.Admission, at now: Duration) -> Bool {
            backoff.succeeded(admission, at: now)
        }
        func failed(
            _ trouble: HostTrouble, _ admission: HostBackoff.Admission, at now: Duration, jitter: Double
        ) -> Duration? { backoff.failed(trouble, admission, at: now, jitter: jitter) }
        func abandoned(_ admission: HostBackoff.Admission, at now: Duration) { backoff.abandoned(admission, at: now) }
    }

    private static let certain = HostTrouble.certain(retryAfter: nil)

    @Test("The back-off begins at the first certain failure and ends with one good request")
    func probe() throws {
        let backoff = Host()
        let first = try #require(backoff.admit(at: .zero))
        #expect(backoff.failed(Self.certain, first, at: .zero, jitter: 1) == .seconds(2))
        #expect(backoff.admit(at: .seconds(1.9)) == nil)
        let probe = try #require(backoff.admit(at: .seconds(2)))
        #expect(backoff.admit(at: .seconds(3)) == nil, "one request at a time")
        #expect(backoff.succeeded(probe, at: .seconds(4)))
        #expect(backoff.admit(at: .seconds(4)) != nil && backoff.admit(at: .seconds(4)) != nil)
    }

    @Test("The back-off doubles with each failed probe up to five minutes, with jitter from half to all of it")
    func growth() throws {
        let backoff = Host()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<10 {
            let admission = try #require(backoff.admit(at: now))
            let pause = try #require(backoff.failed(Self.certain, admission, at: now, jitter: 0))
            pauses.append(pause)
            now += pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 150, 150].map { .seconds($0) })
    }

    @Test("The back-off lasts as long as the host's Retry-After plus jitter")
    func retryAfter() throws {
        let backoff = Host()
        let admission = try #require(backoff.admit(at: .zero))
        let pause = backoff.failed(.certain(retryAfter: .seconds(120)), admission, at: .zero, jitter: 0.5)
        #expect(pause == .seconds(120.5))
        #expect(backoff.admit(at: .seconds(120)) == nil && backoff.admit(at: .seconds(120.5)) != nil)
    }

    @Test("The back-off begins after five suspected failures without a success between them")
    func suspicions() throws {
        let backoff = Host()
        let admission = try #require(backoff.admit(at: .zero))
        for _ in 0..<4 { #expect(backoff.failed(.suspected, admission, at: .zero, jitter: 1) == nil) }
        #expect(!backoff.succeeded(admission, at: .zero))
        for _ in 0..<4 { #expect(backoff.failed(.suspected, admission, at: .zero, jitter: 1) == nil) }
        #expect(backoff.failed(.suspected, admission, at: .zero, jitter: 1) == .seconds(2))
        let probe = try #require(backoff.admit(at: .seconds(2)))
        #expect(backoff.failed(.suspected, probe, at: .seconds(2), jitter: 1) == .seconds(4), "a probe has one chance")
    }

    @Test("Requests sent before the back-off neither extend nor end it")
    func stragglers() throws {
        let backoff = Host()
        var early: [HostBackoff.Admission] = []
        for _ in 0..<16 { early.append(try #require(backoff.admit(at: .zero))) }
        #expect(backoff.failed(Self.certain, early[0], at: .zero, jitter: 1) == .seconds(2))
        for admission in early { #expect(backoff.failed(Self.certain, admission, at: .zero, jitter: 1) == nil) }
        for admission in early { #expect(!backoff.succeeded(admission, at: .seconds(1))) }
        #expect(backoff.admit(at: .seconds(1)) == nil)
        let probe = try #require(backoff.admit(at: .seconds(2)))
        #expect(backoff.failed(Self.certain, probe, at: .seconds(2), jitter: 1) == .seconds(4))
    }

    @Test("The back-off becomes short again only after a minute of success")
    func calm() throws {
        let backoff = Host()
        func fail(_ now: Duration) throws -> Duration? {
            let admission = try #require(backoff.admit(at: now))
            return backoff.failed(Self.certain, admission, at: now, jitter: 1)
        }
        func succeed(_ now: Duration) throws {
            let admission = try #require(backoff.admit(at: now))
            _ = backoff.succeeded(admission, at: now)
        }
        #expect(try fail(.zero) == .seconds(2))
        try succeed(.seconds(2))
        try succeed(.seconds(3))
        #expect(try fail(.seconds(4)) == .seconds(4))
        try succeed(.seconds(8))
        try succeed(.seconds(68))
        #expect(try fail(.seconds(69)) == .seconds(2))
    }

    @Test("After an abandoned probe the next request is the probe")
    func abandoned() throws {
        let backoff = Host()
        let first = try #require(backoff.admit(at: .zero))
        _ = backoff.failed(Self.certain, first, at: .zero, jitter: 1)
        let probe = try #require(backoff.admit(at: .seconds(2)))
        backoff.abandoned(probe, at: .seconds(3))
        #expect(backoff.admit(at: .seconds(3)) != nil && backoff.admit(at: .seconds(3)) == nil)
    }

    @Test("Visitors' suspected failures do not begin the back-off, and certain ones do")
    func visitorsSuspicions() throws {
        let backoff = Host()
        let visitor = try #require(backoff.admit(.visitor, at: .zero))
        let admission = try #require(backoff.admit(at: .zero))
        for _ in 0..<4 { #expect(backoff.failed(.suspected, admission, at: .zero, jitter: 1) == nil) }
        for _ in 0..<20 { #expect(backoff.failed(.suspected, visitor, at: .zero, jitter: 1) == nil) }
        #expect(backoff.isCurrent(admission))
        #expect(backoff.failed(Self.certain, visitor, at: .zero, jitter: 1) == .seconds(2))
        #expect(!backoff.isCurrent(admission) && backoff.admit(at: .seconds(1)) == nil)
    }

    @Test("The probe after a back-off is left to the gateway, and to a visitor if the gateway sends none")
    func visitorsProbe() throws {
        let backoff = Host()
        let first = try #require(backoff.admit(at: .zero))
        _ = backoff.failed(Self.certain, first, at: .zero, jitter: 1)
        #expect(backoff.admit(.visitor, at: .seconds(61.9)) == nil)
        let visitor = try #require(backoff.admit(.visitor, at: .seconds(62)))
        #expect(backoff.admit(at: .seconds(63)) == nil && backoff.admit(.visitor, at: .seconds(63)) == nil)
        #expect(backoff.failed(.suspected, visitor, at: .seconds(70), jitter: 1) == nil)
        #expect(backoff.admit(.visitor, at: .seconds(70)) == nil)
        let probe = try #require(backoff.admit(at: .seconds(70)))
        #expect(backoff.failed(.suspected, probe, at: .seconds(71), jitter: 1) == .seconds(4))
        let second = try #require(backoff.admit(.visitor, at: .seconds(200)))
        #expect(backoff.succeeded(second, at: .seconds(201)))
        #expect(backoff.admit(.visitor, at: .seconds(201)) != nil && backoff.admit(at: .seconds(201)) != nil)
    }

    @Test(
        "Each error of the game site counts as certain, suspected or no trouble",
        arguments: [
            (.status(429, retryAfter: .seconds(9)), .certain(retryAfter: .seconds(9))),
            (.status(503, retryAfter: nil), .certain(retryAfter: nil)),
            (.status(500, retryAfter: nil), .suspected), (.status(301, retryAfter: nil), .suspected),
            (.status(403, retryAfter: nil), .suspected), (.status(404, retryAfter: nil), nil),
            (.status(204, retryAfter: nil), nil), (.unreadable, nil),
            (.noAnswer(FetchError(.unreachable, "")), .certain(retryAfter: nil)),
            (.noAnswer(FetchError(.timedOut, "")), .suspected), (.noAnswer(FetchError(.broken, "")), .suspected),
            (.noAnswer(FetchError(.tooLarge, "")), nil), (.siteFailed(.status(500, retryAfter: nil)), .suspected),
        ] as [(GameSiteError, HostTrouble?)])
    func trouble(error: GameSiteError, trouble: HostTrouble?) {
        #expect(error.hostTrouble == trouble)
    }
}
