/// The life cycle of a dispatcher. Jobs start only between its beginning and its end; it is over when the jobs in
/// flight have ended.
struct DispatcherRun {
    private enum Phase {
        case notBegun, running, stopping
    }

    private var phase = Phase.notBegun
    private var underWay = 0
    /// `true` if a task is about to look for jobs to start.
    private var isWaking = false

    mutating func begin() {
        if phase == .notBegun { phase = .running }
    }

    /// Lets no more jobs start.
    ///
    /// - Returns: `true` if no job is in flight.
    mutating func stop() -> Bool {
        phase = .stopping
        return underWay == 0
    }

    /// Counts one more job in flight. Returns `false` if no job may start now.
    mutating func start() -> Bool {
        guard phase == .running else { return false }
        underWay += 1
        return true
    }

    /// Counts one job less.
    ///
    /// - Returns: `true` if this was the last job after the stop.
    mutating func end() -> Bool {
        underWay -= 1
        return phase == .stopping && underWay == 0
    }

    /// Requests a task that looks for jobs.
    ///
    /// - Returns: `true` if no such task was requested before.
    mutating func wakeUp() -> Bool {
        guard phase == .running, !isWaking else { return false }
        isWaking = true
        return true
    }

    mutating func awake() { isWaking = false }
}
