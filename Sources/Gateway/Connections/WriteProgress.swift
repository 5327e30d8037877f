/// The pace at which a peer takes what it is sent.
///
/// A line may be slow; it has to move. What waits at one look has been taken by the next, or ``leastBytes`` of it have.
struct WriteProgress {
    /// Between two looks.
    static let leastBytes = 16 * 1024

    enum Pace: Equatable {
        case nothingWaits
        case moves
        case stalled
    }

    /// Bytes handed on for the peer.
    private(set) var written = 0
    /// At the last look.
    private var taken = 0
    private var waiting = 0

    mutating func write(_ count: Int) { written += count }

    /// Judges the time since the last look.
    ///
    /// - Parameter waiting: bytes written that have not been taken.
    mutating func look(waiting: Int) -> Pace {
        let takenSince = written - waiting - taken
        let expected = min(Self.leastBytes, self.waiting)
        (taken, self.waiting) = (written - waiting, waiting)
        if waiting == 0 { return .nothingWaits }
        return takenSince < expected ? .stalled : .moves
    }
}
