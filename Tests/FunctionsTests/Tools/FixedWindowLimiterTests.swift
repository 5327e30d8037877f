import Testing

@testable import Functions

@Suite("Rate limits in fixed windows")
struct FixedWindowLimiterTests {
    @Test("A key has a number of requests per window and then waits for its end")
    func window() {
        let limiter = FixedWindowLimiter(limit: 3, everySeconds: 60)
        for _ in 0..<3 { #expect(limiter.admit("a", at: 600) == nil) }
        #expect(limiter.admit("a", at: 600) == 60)
        #expect(limiter.admit("a", at: 659) == 1)
        #expect(limiter.admit("b", at: 659) == nil)
        #expect(limiter.admit("a", at: 660) == nil)
    }

    @Test("Windows are fixed, and unused requests do not carry over")
    func fixed() {
        let limiter = FixedWindowLimiter(limit: 2, everySeconds: 60)
        #expect(limiter.admit("a", at: 659) == nil)
        #expect(limiter.admit("a", at: 659) == nil)
        #expect(limiter.admit("a", at: 659) == 1)
        #expect(limiter.admit("a", at: 660) == nil)
        #expect(limiter.admit("a", at: 661) == nil)
        #expect(limiter.admit("a", at: 661) == 59)
    }

    @Test("A limit of 0 or less lifts a rate limit", arguments: [0, -1])
    func lifted(limit: Int) {
        let limiter = FixedWindowLimiter(limit: limit, everySeconds: 60)
        for _ in 0..<10_000 { #expect(limiter.admit("a", at: 0) == nil) }
    }

    @Test("A million keys in a window admit at most the capacity and the shared counters")
    func bounded() {
        let limiter = FixedWindowLimiter(limit: 1, everySeconds: 60, capacity: 1_000)
        var admitted = 0
        for number in 0..<1_000_000 where limiter.admit("key \(number)", at: 0) == nil { admitted += 1 }
        #expect(admitted >= 1_000)
        #expect(admitted <= 1_000 + 4_096)
        #expect(limiter.admit("key 999999", at: 60) == nil)
    }

    @Test("A key counted before a flood of keys keeps its own counter")
    func beforeTheFlood() {
        let limiter = FixedWindowLimiter(limit: 2, everySeconds: 60, capacity: 10)
        #expect(limiter.admit("early", at: 0) == nil)
        for number in 0..<100_000 { _ = limiter.admit("key \(number)", at: 0) }
        #expect(limiter.admit("early", at: 0) == nil)
        #expect(limiter.admit("early", at: 0) == 60)
    }

    @Test("An address that sends ever new secrets limits only itself")
    func secretsOfOneAddress() throws {
        let limits = RequestLimits(CodeAgentsSettings())
        for number in 0..<400_000 { try? limits.admit(serverKey: "key \(number)", address: "192.0.2.1", at: 0) }
        #expect(throws: CodeAgentsError.self) { try limits.admit(serverKey: "new", address: "192.0.2.1", at: 0) }
        for number in 0..<1_000 {
            #expect(throws: Never.self) {
                try limits.admit(serverKey: "stranger \(number)", address: "198.51.100.\(number)", at: 0)
            }
        }
    }

    @Test("Concurrent requests are counted exactly")
    func concurrent() async {
        let limiter = FixedWindowLimiter(limit: 1_000, everySeconds: 60)
        let admitted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<500).filter { _ in limiter.admit("a", at: 0) == nil }.count }
            }
            return await group.reduce(0, +)
        }
        #expect(admitted == 1_000)
    }

    @Test("A request taken back is not counted, within the window of its admission", arguments: [1, 10])
    func takenBack(capacity: Int) {
        let limiter = FixedWindowLimiter(limit: 2, everySeconds: 60, capacity: capacity)
        for key in ["a", "b"] {
            for _ in 0..<2 { #expect(limiter.admit(key, at: 600) == nil) }
            limiter.takeBack(key, at: 600)
            limiter.takeBack(key, at: 540)
            #expect(limiter.admit(key, at: 601) == nil)
            #expect(limiter.admit(key, at: 602) == 58)
        }
        limiter.takeBack("c", at: 600)
    }
}
