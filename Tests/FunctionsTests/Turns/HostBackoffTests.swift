import Testing

@testable import Functions

@Suite("Leaving a host alone", .timeLimit(.minutes(1)))
struct HostBackoffTests {
    /// What macros may call: they take no value that is to be changed.
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

    @Test("begins at once when the host asks for it or cannot be reached, and ends with one good request")
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

    @Test("lasts twice as long with each probe that fails, up to five minutes, between half and all of it")
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

    @Test("lasts as long as the host says, and a little of its own")
    func retryAfter() throws {
        let backoff = Host()
        let admission = try #require(backoff.admit(at: .zero))
        let pause = backoff.failed(.certain(retryAfter: .seconds(120)), admission, at: .zero, jitter: 0.5)
        #expect(pause == .seconds(120.5))
        #expect(backoff.admit(at: .seconds(120)) == nil && backoff.admit(at: .seconds(120.5)) != nil)
    }

    @Test("takes five suspicions in a row, of which a good request in between is none")
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

    @Test("does not grow by what was asked before it began, nor end by it")
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

    @Test("is short again only when the host has done well for a minute")
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

    @Test("is not forgotten when a probe is abandoned: the next request is one")
    func abandoned() throws {
        let backoff = Host()
        let first = try #require(backoff.admit(at: .zero))
        _ = backoff.failed(Self.certain, first, at: .zero, jitter: 1)
        let probe = try #require(backoff.admit(at: .seconds(2)))
        backoff.abandoned(probe, at: .seconds(3))
        #expect(backoff.admit(at: .seconds(3)) != nil && backoff.admit(at: .seconds(3)) == nil)
    }

    @Test("is not begun by what visitors make suspect, but by what the host itself says to them")
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

    @Test("leaves the first request after it to the gateway, or to a visitor when the gateway has none")
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
        "is decided by what went wrong",
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
