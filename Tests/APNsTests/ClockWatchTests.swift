import Testing

@testable import APNs

@Suite("Comparing clocks")
struct ClockWatchTests {
    @Test("A clock within 5 minutes of Apple's is not reported", arguments: [0, 300, -300] as [Int64])
    func close(ahead: Int64) {
        var watch = ClockWatch()
        #expect(watch.report(date: 1_000_000, now: 1_000_000 + ahead) == nil)
    }

    @Test(
        "A clock more than 5 minutes off is reported with the difference and its direction",
        arguments: [
            (301, "5 minutes ahead of"), (-3_600, "60 minutes behind"), (86_400, "24 hours ahead of"),
        ] as [(Int64, String)])
    func far(ahead: Int64, words: String) {
        var watch = ClockWatch()
        #expect(watch.report(date: 1_000_000, now: 1_000_000 + ahead)?.contains(words) == true)
    }

    @Test("The clock check continues after the clock is set back")
    func setBack() {
        var watch = ClockWatch()
        #expect(watch.isDue(at: 20_000) && watch.isDue(at: 2_000) && !watch.isDue(at: 2_030))
        #expect(watch.report(date: 10_000, now: 20_000) != nil)
        #expect(watch.report(date: 10_000, now: 2_000)?.contains("behind") == true)
    }

    @Test("The clock is checked once a minute and reported once an hour")
    func seldom() {
        var watch = ClockWatch()
        #expect(watch.isDue(at: 0) && !watch.isDue(at: 59) && watch.isDue(at: 60))
        #expect(watch.report(date: 10_000, now: 0) != nil)
        #expect(watch.report(date: 13_599, now: 3_599) == nil)
        #expect(watch.report(date: 13_600, now: 3_600) != nil)
    }
}
