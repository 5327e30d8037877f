/// The times at which the pages in the write-ahead log are copied to the database file.
///
/// The writer reports the log's length after every commit, in frames of one page each, and takes the step that is
/// returned.
struct CheckpointSchedule: Sendable {
    enum Step: Hashable, Sendable {
        case none
        /// Copy what is in the log now, beside the writer.
        case copy
        /// Copy the rest on the writer. SQLite writes the next commit to the log's beginning then.
        case finish
    }

    private enum State {
        case filling(upTo: Int)
        case copying(pass: Int)
        case copied(frames: Int, pass: Int)
    }

    /// The length at which copying begins, 32 MiB: a page that many commits change is copied once in so much log.
    /// SQLite's own bound of 1,000 frames costs the gateway more.
    static let limit = 8_192
    /// The most frames that are left to the writer, which every commit waits for.
    static let maximumRest = 512
    /// The most passes beside the writer. Each has fewer frames to copy, unless the disk is slower than the writer.
    static let maximumPasses = 3
    /// The growth after which the next attempt is made if a reader kept the log from starting over.
    static let retryGrowth = limit / 8

    private var state = State.filling(upTo: limit)
    private var length = 0

    /// - Parameter frames: the log's length after a commit.
    mutating func committed(frames: Int) -> Step {
        let hasStartedOver = frames < length
        length = frames
        switch state {
        case .copying: return .none
        case .filling(let bound):
            let bound = hasStartedOver ? Self.limit : bound
            guard frames >= bound else {
                state = .filling(upTo: bound)
                return .none
            }
            state = .copying(pass: 1)
            return .copy
        // All of it had been copied before the last commit began.
        case .copied where hasStartedOver:
            state = .filling(upTo: Self.limit)
            return .none
        case .copied(let copied, let pass) where frames - copied > Self.maximumRest && pass < Self.maximumPasses:
            state = .copying(pass: pass + 1)
            return .copy
        case .copied:
            state = .filling(upTo: max(Self.limit, frames + Self.retryGrowth))
            return .finish
        }
    }

    /// - Parameter frames: the length of the part that has been copied, from the log's beginning; 0 after an error.
    mutating func copied(frames: Int) {
        guard case .copying(let pass) = state else { return }
        state = .copied(frames: frames, pass: pass)
    }
}
