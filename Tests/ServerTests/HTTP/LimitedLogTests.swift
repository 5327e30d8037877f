import Logging
import TestDoubles
import Testing

@testable import Server

@Suite("Log with a limit", .timeLimit(.minutes(10)))
struct LimitedLogTests {
    @Test("A line after a flood has the number of those that were left out")
    func omitted() {
        let (clock, log) = (ManualClock(), CollectedLog())
        let refusals = LimitedLog(linesPerMinute: 10, now: { clock.seconds }, logger: log.logger)
        func write() { refusals.log(.info, "refused", metadata: ["reason": "a"]) }
        for _ in 0..<25 { write() }
        #expect(log.lines.count == 10 && !log.lines.contains { $0.contains("omitted") })
        clock.advance(by: .seconds(60))
        for _ in 0..<2 { write() }
        #expect(log.lines.count == 12)
        #expect(log.lines[10].contains("omitted") && log.lines[10].contains("15"))
        #expect(!log.lines[11].contains("omitted"))
        // A clock that is set back does not silence the log.
        clock.advance(by: .seconds(-120))
        write()
        #expect(log.lines.count == 13)
    }
}
