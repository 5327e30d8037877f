/// The rule for when a read may run on the thread that asks for it: not while the disk is slow.
///
/// Threads that run tasks are as few as processors. One that waits for the disk keeps others' requests waiting.
struct InPlacePace: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A read that has waited for the disk and taken this long is slow; while one has been under way for as long, others do
    /// not begin.
    static let slow = Duration.milliseconds(20)
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(30)

    private var underWay: [Instant] = []
    private var resumesAt: Instant?
    /// The time at which the last pause began. Reads that began before it say nothing new.
    private var pausedAt: Instant?
    private var pause = shortestPause

    /// A Boolean value indicating whether no read is under way.
    var isIdle: Bool { underWay.isEmpty }

    /// Returns whether a read may begin.
    func mayBegin(at now: Instant) -> Bool {
        if let resumesAt, now < resumesAt { return false }
        return underWay.allSatisfy { now - $0 < Self.slow }
    }

    /// Takes note of a read that may begin and does; ``ended(begunAt:at:hasWaited:)`` follows.
    mutating func began(at now: Instant) { underWay.append(now) }

    /// - Parameter hasWaited: whether the thread gave up its processor of its own accord, as it does for a page that has
    ///   to come from the disk.
    mutating func ended(begunAt start: Instant, at now: Instant, hasWaited: Bool) {
        if let index = underWay.firstIndex(of: start) { underWay.remove(at: index) }
        if let pausedAt, start < pausedAt { return }
        if hasWaited, now - start >= Self.slow {
            pausedAt = now
            resumesAt = now + pause
            pause = min(pause * 2, Self.longestPause)
        } else if resumesAt != nil {
            resumesAt = nil
            pause = Self.shortestPause
        }
    }
}
