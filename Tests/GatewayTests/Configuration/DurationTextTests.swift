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

    @Test(
        "The text of a duration has the largest unit that divides it, and is read as the same duration",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(500), "500ms"), (.milliseconds(1_500), "1500ms"),
            (.seconds(30), "30s"), (.seconds(90), "90s"), (.seconds(900), "15m"), (.seconds(3_600), "1h"),
            (.seconds(86_400), "24h"), (.seconds(604_800), "7d"),
        ])
    func text(duration: Duration, text: String) {
        #expect(DurationText.text(of: duration) == text)
        #expect(DurationText.duration(of: text) == duration)
    }
}
