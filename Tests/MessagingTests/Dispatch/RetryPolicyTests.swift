import Messaging
import Testing

@Suite("Retry delays")
struct RetryPolicyTests {
    @Test(
        "The retry delay doubles with each attempt up to its maximum",
        arguments: [
            (-1, 2.0), (0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (8, 256), (9, 512), (10, 900), (11, 900), (64, 900),
            (1_000_000, 900), (.max, 900),
        ] as [(Int, Double)])
    func growth(attempts: Int, seconds: Double) {
        let delay = RetryPolicy().delay(afterAttempts: attempts, jitter: 1)
        #expect(delay == .seconds(seconds))
    }

    @Test(
        "Jitter takes between half of the retry delay and all of it",
        arguments: [(0.0, 4.0), (0.5, 6), (0.999, 7.996)])
    func jitter(jitter: Double, seconds: Double) {
        let delay = RetryPolicy().delay(afterAttempts: 3, jitter: jitter)
        #expect(abs((delay - .seconds(seconds)) / .seconds(1)) < 1e-6)
    }
}
