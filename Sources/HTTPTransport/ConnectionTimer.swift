/// The one timer a libcurl multi handle asks its owner to keep (`CURLMOPT_TIMERFUNCTION(3)`).
struct ConnectionTimer {
    private(set) var instant: ContinuousClock.Instant?

    /// Replaces the timer; a negative time removes it.
    mutating func set(afterMilliseconds milliseconds: Int) {
        instant = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    mutating func clear() {
        instant = nil
    }

    func isDue(at now: ContinuousClock.Instant) -> Bool {
        instant.map { $0 <= now } ?? false
    }
}
