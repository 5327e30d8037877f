import Foundation

/// The attempts at what other transactions or lost connections have ended.
struct Attempts {
    private static let most = 8

    private let end = ContinuousClock.now + Connection.patience
    private var number = 1

    /// Waits before the next attempt. Returns `false` at once if that would be one too many, or if the time of all is over.
    mutating func wait() -> Bool {
        guard number < Self.most, .now < end else { return false }
        Thread.sleep(forTimeInterval: Double.random(in: 0...0.002) * Double(1 << number))
        number += 1
        return true
    }
}
