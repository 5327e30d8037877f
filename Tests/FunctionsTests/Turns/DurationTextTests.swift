import Testing

@testable import Functions

@Suite("Durations in Go's format", .timeLimit(.minutes(10)))
struct DurationTextTests {
    @Test(
        "A duration in Go's format has hours, minutes, seconds and an optional fraction",
        arguments: [
            (.seconds(1), "1s"), (.seconds(30), "30s"), (.seconds(60), "1m0s"), (.seconds(90), "1m30s"),
            (.seconds(3_600), "1h0m0s"), (.seconds(90_061), "25h1m1s"), (.milliseconds(1_500), "1.5s"),
            (.milliseconds(61_050), "1m1.05s"), (.nanoseconds(1_000_000_001), "1.000000001s"),
        ] as [(Duration, String)])
    func text(duration: Duration, text: String) { #expect(duration.asGoWritesIt == text) }
}
