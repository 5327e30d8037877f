import GRDB
import Synchronization

/// The free space inside the file that deleted documents have left. The file does not shrink, and grows again only
/// after this space is used (https://www.sqlite.org/pragma.html#pragma_freelist_count).
final class ReusablePages: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var bytes: Int64 = 0
        var readAt: Instant?
    }

    private let state = Mutex(State())

    private static let interval = Duration.seconds(1)

    var bytes: Int64 { state.withLock(\.bytes) }

    /// Counts the pages, unless the last count is less than a second old. The number is in the file's header, so this
    /// is not a search.
    func count(_ db: Database, at time: Instant) throws {
        guard state.withLock({ $0.readAt.map { time - $0 >= Self.interval } ?? true }) else { return }
        let pages = try Int64.fetchOne(db.cachedStatement(sql: SQL.selectFreePages)) ?? 0
        let size = try Int64.fetchOne(db.cachedStatement(sql: SQL.selectPageSize)) ?? 0
        state.withLock { $0 = State(bytes: pages * size, readAt: time) }
    }
}
