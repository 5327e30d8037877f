import Settings
import Testing

@testable import Gateway

@Suite("Durations in settings", .timeLimit(.minutes(10)))
struct DurationTextTests {
    @Test(
        "A duration is read with its unit, and a number without a unit is seconds",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("5m", .seconds(300)), ("1h", .seconds(3_600)),
            ("7d", .seconds(604_800)),
            ("1.5s", .milliseconds(1_500)), ("0.5m", .seconds(30)), ("3", .seconds(3)), ("0", .zero), ("0s", .zero),
            ("0.25", .milliseconds(250)),
        ])
    func read(text: String, duration: Duration) {
        #expect(DurationText.duration(of: text) == duration)
    }

    @Test(
        "A text that is not a duration gives nil",
        arguments: ["", "s", "ms", "2 s", "-1s", "1w", "1h30m", "two", "1,5s", "nan", "inf", "1e999s", "0x10", "1S"])
    func refused(text: String) {
        #expect(DurationText.duration(of: text) == nil)
    }
}
