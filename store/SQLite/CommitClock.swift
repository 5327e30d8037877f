/// Times of commits: each later than the one before, whatever the system's clock does.
struct CommitClock {
    private(set) var last: Timestamp

    mutating func tick(_ now: Timestamp) -> Timestamp {
        last = max(now, last.adding(.microseconds(1)))
        return last
    }
}
