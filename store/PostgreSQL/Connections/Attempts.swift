import Foundation

/// The attempts at what other transactions or lost connections have ended. The second is always made: the first may
/// have taken all the time to find that a server is silent.
struct Attempts {
    private static let longestPause = 0.25

    private let most: Int
    private let end: ContinuousClock.Instant
    private var number = 1

    /// - Parameters:
    ///   - most: the number of attempts.
    ///   - time: the time after which none but the second begins.
    init(most: Int = 8, within time: Duration = Connection.patience) {
        self.most = most
        end = .now + time
    }

    /// Waits before the next attempt. Returns `false` at once if that would be one too many.
    mutating func wait() -> Bool {
        guard number < most, number == 1 || .now < end else { return false }
        let pause = min(0.002 * Double(1 << min(number, 10)), Self.longestPause)
        Thread.sleep(forTimeInterval: Double.random(in: 0...pause))
        number += 1
        return true
    }
}
