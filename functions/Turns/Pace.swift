/// Keeps requests that are late from being made all at once: a bucket that leaks evenly. Pure; times are since any moment.
struct Pace: Sendable {
    /// How far ahead of the even rate one may be: what a process that was not scheduled for a moment has to catch up.
    private static let tolerance = Duration.milliseconds(100)

    /// When the next would be, if all came evenly.
    private var next = Duration.zero

    /// How long until one more may go.
    func delay(at now: Duration) -> Duration { max(.zero, next - Self.tolerance - now) }

    /// - Parameter spacing: between two, when many wait.
    mutating func take(at now: Duration, spacing: Duration) { next = max(next, now) + spacing }
}
