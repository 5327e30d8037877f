/// The beginning and the end of a dispatcher's work: nothing starts outside of it, and it is over when what is under way
/// then has ended.
struct DispatcherRun {
    private enum Phase {
        case notBegun, running, stopping
    }

    private var phase = Phase.notBegun
    private var underWay = 0
    /// A Boolean value indicating whether a task is about to look for jobs that may start.
    private var isWaking = false

    mutating func begin() {
        if phase == .notBegun { phase = .running }
    }

    /// - Returns: whether all is over.
    mutating func stop() -> Bool {
        phase = .stopping
        return underWay == 0
    }

    /// Counts one more job under way, unless none may start now.
    mutating func start() -> Bool {
        guard phase == .running else { return false }
        underWay += 1
        return true
    }

    /// - Returns: whether all is over.
    mutating func end() -> Bool {
        underWay -= 1
        return phase == .stopping && underWay == 0
    }

    /// - Returns: whether nobody was going to look.
    mutating func wakeUp() -> Bool {
        guard phase == .running, !isWaking else { return false }
        isWaking = true
        return true
    }

    mutating func awake() { isWaking = false }
}
