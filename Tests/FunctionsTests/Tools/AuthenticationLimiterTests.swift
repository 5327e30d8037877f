import Functions
import Testing

@Suite("Limiter of failed authentication")
struct AuthenticationLimiterTests {
    private static let key: [UInt8] = [1, 2, 3]

    private func networks(_ wide: Int, _ middle: Int = 0, _ narrow: Int = 0) -> [String] {
        ["\(wide).\(middle).\(narrow)/64", "\(wide).\(middle)/48", "\(wide)/32"]
    }

    /// Fails ten times from each address, and returns the number of failures that were not blocked.
    private func failures(_ limiter: AuthenticationLimiter, from addresses: [[String]]) -> Int {
        addresses.map { address in (0..<10).count { _ in limiter.judge(nil, from: address, at: 0) == .rejected } }
            .reduce(0, +)
    }

    @Test("An address may fail 10 times, its network 100 times and the wider network 1,000 times")
    func thresholds() {
        let limiter = AuthenticationLimiter()
        #expect(failures(limiter, from: (0..<2).map { _ in networks(1) }) == 10)
        #expect(failures(limiter, from: (0..<20).map { networks(1, 0, $0) }) == 90)
        #expect(failures(limiter, from: (0..<200).map { networks(1, $0 / 10, $0) }) == 900)
        #expect(failures(limiter, from: (0..<200).map { networks(2, $0, 0) }) == 1_000)
        #expect(limiter.judge(nil, from: networks(1, 77), at: 100) == .tooManyFailures(retryAfter: 200))
        #expect(limiter.judge(Self.key, from: networks(1, 77), at: 100) == .tooManyFailures(retryAfter: 200))
        #expect(limiter.judge(Self.key, from: networks(3), at: 100) == .accepted)
        #expect(limiter.judge(Self.key, from: networks(1, 77), at: 300) == .accepted)
    }

    @Test("A blocked address may still use the right key that it used before")
    func remembered() {
        let limiter = AuthenticationLimiter()
        #expect(limiter.judge(Self.key, from: networks(1), at: 0) == .accepted)
        #expect(failures(limiter, from: [networks(1)]) == 10)
        #expect(limiter.judge(Self.key, from: networks(1), at: 1) == .accepted)
        #expect(limiter.judge([4], from: networks(1), at: 1) == .tooManyFailures(retryAfter: 299))
        #expect(limiter.judge(nil, from: networks(1), at: 1) == .tooManyFailures(retryAfter: 299))
    }

    @Test("A full limiter blocks no new address and still counts a repeated failure")
    func full() {
        let limiter = AuthenticationLimiter(capacity: 1_000)
        let guesser = networks(1, 1, 1)
        for _ in 0..<9 { #expect(limiter.judge(nil, from: guesser, at: 0) == .rejected) }
        for number in 0..<100_000 { _ = limiter.judge(nil, from: ["a\(number)", "b\(number)", "c\(number)"], at: 0) }
        for number in 0..<1_000 {
            #expect(limiter.judge(Self.key, from: ["new \(number)", "new", "net"], at: 0) == .accepted)
        }
        #expect(limiter.judge(nil, from: guesser, at: 0) == .rejected)
        #expect(limiter.judge(nil, from: guesser, at: 0) == .tooManyFailures(retryAfter: 300))
    }

    @Test("The limiter counts concurrent failures exactly")
    func concurrent() async {
        let limiter = AuthenticationLimiter()
        let rejected = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<50).count { _ in limiter.judge(nil, from: ["a"], at: 0) == .rejected } }
            }
            return await group.reduce(0, +)
        }
        #expect(rejected == 10)
    }
}
