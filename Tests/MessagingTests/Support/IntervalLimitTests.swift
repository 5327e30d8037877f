import Messaging
import Testing

@Suite("A limit of one event in an interval")
struct IntervalLimitTests {
    @Test("One event is admitted in an hour, and another one after it")
    func hourly() {
        var limit = IntervalLimit.hourly
        let admitted = [100, 101, 3_699, 3_700, 3_701, 7_300].map { limit.admit(at: $0) }
        #expect(admitted == [true, false, false, true, false, true])
    }

    @Test("A clock that is set back does not keep events out")
    func setBack() {
        var limit = IntervalLimit(everySeconds: 60)
        #expect(limit.admit(at: 1_000) && limit.admit(at: 999) && !limit.admit(at: 1_000))
    }
}
