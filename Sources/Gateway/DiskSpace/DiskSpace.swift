internal import DocumentStore
internal import Logging
internal import Metrics
import Synchronization

/// The room on the data directory's disk, and the decision whether new data is accepted.
///
/// It is looked at no more than once a second, however many ask.
final class DiskSpace: Sendable {
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

    /// - Parameters:
    ///   - space: reads the file system.
    ///   - reusable: the bytes inside the database that deleted documents have left.
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

    /// Checks that there is room for new data.
    ///
    /// - Throws: `RESOURCE_EXHAUSTED`, with words for the operator.
    func admit() throws(StoreError) {
        let refusal = state.withLock { state in
            read(&state)
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    /// Brings the metric up to date.
    func refresh() { state.withLock { read(&$0) } }

    private func read(_ state: inout State) {
        let time = now()
        if let readAt = state.readAt, time - readAt < Self.interval { return }
        state.readAt = time
        do {
            let space = try readSpace()
            let reusable = readReusable()
            Meter(label: "pushgate_data_free_bytes").set(space.free)
            Meter(label: "pushgate_data_reusable_bytes").set(reusable)
            let hadRoom = state.refusal == nil
            state.refusal = reserve.hasRoom(space, reusable: reusable) ? nil : refusal(space)
            report(space, hadRoom: hadRoom, &state, at: time)
        } catch {
            // An unknown amount of free space refuses nobody; a full disk still does.
            state.refusal = nil
            logger.warning("cannot tell how much of the disk is free", metadata: ["error": "\(error)"])
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
            if !hadRoom { logger.notice("accepts new data again", metadata: ["free": "\(space.free)"]) }
            return
        }
        if let reportedAt = state.reportedAt, time - reportedAt < Self.reportInterval { return }
        state.reportedAt = time
        logger.error(
            "refuses new data; what was accepted is still delivered",
            metadata: ["free": "\(space.free)", "reason": "\(refusal.message)"])
    }
}
