import Testing

@testable import DocumentStore

@Suite("Reads in place: their pace")
struct InPlacePaceTests {
    private typealias Instant = ContinuousClock.Instant
    private let start = ContinuousClock.now

    @Test("reads run in place while they are quick, several at once")
    func quick() {
        let pace = Pace()
        #expect(pace.begins(at: start))
        #expect(pace.begins(at: start))
        pace.ended(begunAt: start, at: start + .milliseconds(1), hasWaited: true)
        #expect(pace.begins(at: start + .milliseconds(1)))
    }

    @Test("a read that waited for the disk for long keeps others from running in place, for a second")
    func slow() {
        let pace = Pace()
        #expect(pace.begins(at: start))
        let end = start + InPlacePace.slow
        pace.ended(begunAt: start, at: end, hasWaited: true)
        #expect(!pace.begins(at: end + .milliseconds(999)))
        #expect(pace.begins(at: end + .seconds(1)))
    }

    @Test("the pause doubles with each slow read after it, and is short again after a quick one")
    func doubling() {
        let pace = Pace()
        var now = start
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            #expect(pace.begins(at: now))
            pace.ended(begunAt: now, at: now + InPlacePace.slow, hasWaited: true)
            now += InPlacePace.slow
            #expect(!pace.begins(at: now + .seconds(pause) - .milliseconds(1)))
            now += .seconds(pause)
        }
        #expect(pace.begins(at: now))
        pace.ended(begunAt: now, at: now, hasWaited: false)
        #expect(pace.begins(at: now))
        pace.ended(begunAt: now, at: now + InPlacePace.slow, hasWaited: true)
        #expect(pace.begins(at: now + InPlacePace.slow + .seconds(1)))
    }

    @Test("a read that took long because the processor was busy changes nothing")
    func preempted() {
        let pace = Pace()
        #expect(pace.begins(at: start))
        pace.ended(begunAt: start, at: start + .seconds(1), hasWaited: false)
        #expect(pace.begins(at: start + .seconds(1)))
    }

    @Test("reads that were under way when a pause began neither prolong nor end it")
    func together() {
        let pace = Pace()
        let late = start + InPlacePace.slow - .milliseconds(1)
        #expect(pace.begins(at: start))
        #expect(pace.begins(at: start))
        #expect(pace.begins(at: late))
        let end = start + InPlacePace.slow
        pace.ended(begunAt: start, at: end, hasWaited: true)
        pace.ended(begunAt: start, at: end, hasWaited: true)
        pace.ended(begunAt: late, at: end, hasWaited: false)
        #expect(!pace.begins(at: end + .milliseconds(999)))
        #expect(pace.begins(at: end + .seconds(1)))
    }

    @Test("while one read has been under way for long, no other begins")
    func underWay() {
        let pace = Pace()
        #expect(pace.begins(at: start))
        #expect(!pace.begins(at: start + InPlacePace.slow))
    }
}

/// A pace to be changed within expectations.
private final class Pace {
    private var pace = InPlacePace()

    func begins(at now: ContinuousClock.Instant) -> Bool {
        guard pace.mayBegin(at: now) else { return false }
        pace.began(at: now)
        return true
    }

    func ended(begunAt start: ContinuousClock.Instant, at now: ContinuousClock.Instant, hasWaited: Bool) {
        pace.ended(begunAt: start, at: now, hasWaited: hasWaited)
    }
}
