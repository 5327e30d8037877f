internal import DocumentStore

/// A lane that its push service refuses as a whole, because of a key, say: nothing of it is sent until a time, then one
/// notification, to see whether it is still so. Pure.
struct LanePause: Sendable {
    private var refusals = 0
    private(set) var until = Timestamp.distantPast

    private static let first = Duration.seconds(5)
    private static let longest = Duration.seconds(5 * 60)

    /// Doubles the time with every refusal that follows another, up to five minutes.
    mutating func refused(at now: Timestamp, retryAfter: Duration?) {
        let delay = min(Self.first * (1 << min(refusals, 10)), Self.longest)
        refusals += 1
        until = now.adding(max(delay, retryAfter ?? .zero))
    }
}
