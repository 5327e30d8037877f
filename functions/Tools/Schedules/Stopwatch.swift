/// Time that only goes forward, since a moment: by a calendar's time a schedule would stand still when that is set back.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { elapsed = Self.reading(clock) }

    private static func reading<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
