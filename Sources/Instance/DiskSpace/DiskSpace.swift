package import DocumentStore
package import Logging
import Metrics
import Synchronization

/// The free space on the data directory's disk, and the decision to accept or refuse new data.
///
/// It reads the free space at most once a second.
package final class DiskSpace: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var readAt: Instant?
        var refusal: StoreError?
        var reportedAt: Instant?
    }

    private let reserve: SpaceReserve
    private let readSpace: @Sendable () throws(SystemError) -> FileSystemSpace
    private let readReusable: @Sendable () -> Int64
    private let now: @Sendable () -> Instant
    private let logger: Logger
    private let state = Mutex(State())

    private static let interval = Duration.seconds(1)
    private static let reportInterval = Duration.seconds(60)

    /// Creates a check of the disk space.
    ///
    /// - Parameters:
    ///   - space: Reads the free space of the file system.
    ///   - reusable: Returns the bytes inside the database that deleted documents have freed.
    init(
        reserve: SpaceReserve, space: @escaping @Sendable () throws(SystemError) -> FileSystemSpace,
        reusable: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Instant = { .now }, logger: Logger
    ) {
        self.reserve = reserve
        readSpace = space
        readReusable = reusable
        self.now = now
        self.logger = logger
    }

    /// Creates a check of the space on the disk of a data directory.
    ///
    /// - Parameters:
    ///   - minimumFree: The reserve in bytes; 0 for none, `nil` for the larger of 256 MiB and 2 % of the file system.
    ///   - reusable: Returns the bytes inside the database that deleted documents have freed.
    package convenience init(
        of directory: DataDirectory, minimumFree: Int64?, reusable: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.init(
            reserve: SpaceReserve(minimumFree: minimumFree),
            space: { () throws(SystemError) in try FileSystemSpace(at: directory.path) }, reusable: reusable,
            logger: logger)
    }

    /// Checks that there is space for new data.
    ///
    /// - Throws: `RESOURCE_EXHAUSTED`, with a text for the operator.
    package func admit() throws(StoreError) {
        let refusal = state.withLock { state in
            read(&state)
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    /// Checks that there is space for a file, and for new data beside it.
    ///
    /// - Parameter size: The size of the file in bytes.
    /// - Throws: `RESOURCE_EXHAUSTED`, with a text for the operator.
    func admit(fileOf size: Int64) throws(StoreError) {
        // If the free space is unknown, the file is tried; a write to a full disk still fails.
        guard let space = try? readSpace() else { return }
        let room = space.free - reserve.bound(of: space)
        guard size > room else { return }
        throw StoreError(
            .resourceExhausted,
            "\(size) bytes are needed, and \(max(room, 0)) may be used on the disk of the gateway's data; free space, "
                + "or lower data.minimumFreeBytes")
    }

    /// The free bytes, and the limit below which new data is refused; `nil` if they are unknown.
    package var summary: (free: Int64, minimum: Int64)? {
        (try? readSpace()).map { ($0.free, reserve.bound(of: $0)) }
    }

    /// Updates the metrics.
    package func refresh() { state.withLock { read(&$0) } }

    private func read(_ state: inout State) {
        let time = now()
        if let readAt = state.readAt, time - readAt < Self.interval { return }
        state.readAt = time
        do {
            let space = try readSpace()
            let reusable = readReusable()
            Meter(label: "pushgate_data_free_bytes").set(space.free)
            Meter(label: "pushgate_data_minimum_free_bytes").set(reserve.bound(of: space))
            Meter(label: "pushgate_data_reusable_bytes").set(reusable)
            let hadRoom = state.refusal == nil
            state.refusal = reserve.hasRoom(space, reusable: reusable) ? nil : refusal(space)
            report(space, hadRoom: hadRoom, &state, at: time)
        } catch {
            // If the free space is unknown, data is accepted; a write to a full disk still fails.
            state.refusal = nil
            logger.warning("failed to read the free disk space; accepting new data", metadata: ["error": "\(error)"])
        }
    }

    private func refusal(_ space: FileSystemSpace) -> StoreError {
        StoreError(
            .resourceExhausted,
            "less than \(reserve.bound(of: space)) bytes are free on the disk of the gateway's data, and nothing was "
                + "accepted; free space, or lower data.minimumFreeBytes")
    }

    private func report(_ space: FileSystemSpace, hadRoom: Bool, _ state: inout State, at time: Instant) {
        guard let refusal = state.refusal else {
            if !hadRoom { logger.notice("accepting new data again", metadata: ["free": "\(space.free)"]) }
            return
        }
        if let reportedAt = state.reportedAt, time - reportedAt < Self.reportInterval { return }
        state.reportedAt = time
        logger.error(
            "refusing new data; accepted messages are still delivered",
            metadata: ["free": "\(space.free)", "reason": "\(refusal.message)"])
    }
}

/// The disk space that new data must leave free, so that accepted messages can still be settled, and so that other
/// programs on the same disk keep working. A value without I/O.
struct SpaceReserve: Sendable {
    /// The reserve in bytes; 0 for none, `nil` for the larger of 256 MiB and 2 % of the file system.
    let minimumFree: Int64?

    private static let smallest: Int64 = 256 * 1_024 * 1_024
    /// The space for the database's log, at most twice 32 MiB. It must be free on the disk, no matter how much space
    /// the database can reuse inside its file.
    private static let logRoom: Int64 = 64 * 1_024 * 1_024

    /// Returns the number of free bytes below which new data is refused.
    func bound(of space: FileSystemSpace) -> Int64 { minimumFree ?? max(Self.smallest, space.size / 50) }

    /// Returns `true` if there is space for new data.
    ///
    /// - Parameter reusable: The bytes inside the database that deleted documents have freed. The file does not
    ///   shrink, but it does not grow either until they are used.
    func hasRoom(_ space: FileSystemSpace, reusable: Int64) -> Bool {
        let bound = bound(of: space)
        let (room, overflows) = space.free.addingReportingOverflow(reusable)
        return space.free >= min(bound, Self.logRoom) && (overflows || room >= bound)
    }
}
