import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A check that the files of an open database are still those at their paths, and whole.
///
/// SQLite goes on to write to a file that was deleted or replaced while it is open, or to a log that was cut off, and
/// reports no error. No later start finds those commits. So the writer looks before each transaction and before it
/// answers, with four system calls each time. A loss is final: nothing can be accepted after it.
final class FileCheck: Sendable {
    private struct State {
        var database: FileFacts?
        var log: FileFacts?
        /// The open log; `nil` while there is none.
        var descriptor: CInt?
        /// The number of frames in the log at the last check.
        var frames = 0
        var loss: StoreError?
    }

    private let path: String
    private let log: String
    private let file: DatabaseFile
    private let pageSize: Int
    /// `false` on a file system that reports another number for the same file each time.
    private let hasIdentities: Bool
    private let state = Mutex(State())

    /// The sizes of the headings of the log and of each of its frames
    /// (https://www.sqlite.org/fileformat2.html#walformat).
    private static let (logHeading, frameHeading) = (32, 24)
    /// The place of the salts in a frame's heading, and their size.
    private static let (salts, saltsSize) = (8, 8)

    /// - Parameter file: the database, which is open in SQLite too.
    init(path: String, _ file: DatabaseFile, pageSize: Int) {
        self.path = path
        log = path + "-wal"
        self.file = file
        self.pageSize = pageSize
        hasIdentities = FileFacts(at: path)?.identity == file.facts?.identity
    }

    // SQLite holds its locks on other files, so this ends none of them.
    deinit { state.withLock { _ = $0.descriptor.map { close($0) } } }

    /// The loss that was found; `nil` if there was none.
    var loss: StoreError? { state.withLock(\.loss) }

    /// Checks the files.
    ///
    /// - Parameters:
    ///   - frames: the number of frames in the log after the last commit.
    ///   - present: returns the number that SQLite finds, if the log is shorter; `nil` if it cannot read the log.
    /// - Throws: `UNAVAILABLE` if one of the files is lost, from then on.
    func check(frames: Int, orRead present: () -> Int?) throws(StoreError) {
        let loss = state.withLock { state in
            if state.loss == nil { state.loss = Self.loss(of: missing(&state, frames, present)) }
            return state.loss
        }
        if let loss { throw loss }
    }

    private static func loss(of problem: String?) -> StoreError? {
        problem.map { StoreError(.unavailable, "\($0) while it was open; stop the server and restore a backup") }
    }

    private func missing(_ state: inout State, _ frames: Int, _ present: () -> Int?) -> String? {
        if file.beginsAsDatabase == false { return "the database \(path) was overwritten" }
        let size = state.database?.size ?? 0
        if let problem = problem(of: path, &state.database, hasSize: { $0 >= size }) {
            return "the database \(path) \(problem)"
        }
        let known = min(state.frames, frames)
        state.frames = frames
        return
            (problem(of: log, &state.log) { size in
                size >= length(of: frames) || present().map { size >= length(of: $0) } ?? false
            } ?? hole(at: known, in: &state)).map { "the log \(log) \($0)" }
    }

    /// Returns the problem of a log that was cut off while a commit wrote behind its new end, which made it as long as
    /// before; `nil` if it has the frames of the last check.
    private func hole(at frame: Int, in state: inout State) -> String? {
        guard frame > 0 else { return nil }
        if state.descriptor == nil {
            let descriptor = open(log, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor >= 0 { state.descriptor = descriptor }
        }
        guard let descriptor = state.descriptor else { return nil }
        var salts: UInt64 = 0
        let place = end(of: frame - 1) + off_t(Self.salts)
        // A log's salts are random numbers, and a hole is all zeros. An error is one of the disk, which SQLite reports.
        guard pread(descriptor, &salts, Self.saltsSize, place) == Self.saltsSize, salts == 0 else { return nil }
        return "was cut off before frame \(frame)"
    }

    private func length(of frames: Int) -> off_t { frames == 0 ? 0 : end(of: frames) }

    /// Returns the place in the log behind a number of frames.
    private func end(of frames: Int) -> off_t { off_t(Self.logHeading + frames * (Self.frameHeading + pageSize)) }

    /// Returns the problem of a file; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - known: the facts at the last check, which become those of this one.
    ///   - isWhole: returns `true` for the size of a file that was not cut off.
    private func problem(
        of path: String, _ known: inout FileFacts?, hasSize isWhole: (off_t) -> Bool
    ) -> String? {
        guard let facts = FileFacts(at: path) else {
            // Another error is one of the disk, which SQLite reports.
            return known != nil && [ENOENT, ENOTDIR].contains(errno) ? "was removed" : nil
        }
        if let known, hasIdentities, known.identity != facts.identity { return "was replaced" }
        guard isWhole(facts.size) else { return "was cut off after \(facts.size) bytes" }
        known = facts
        return nil
    }
}

/// The number by which a file differs from all others, and its size in bytes.
struct FileFacts: Sendable {
    struct Identity: Hashable, Sendable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    let identity: Identity
    let size: off_t

    /// Reads the facts of the file at a path; `nil`, with the reason in `errno`, if it cannot be reached.
    init?(at path: String) {
        var status = stat()
        // Passing the text itself would copy it to the heap, for each look at a file.
        guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
        size = off_t(status.st_size)
    }
}
