import DocumentStore
import Signals
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The turns of transactions that contend for documents.
///
/// The first of several to commit wins, and the others run again. Without turns, one that has lost can lose again and
/// again. So a transaction that runs again stands in line for the documents that it has read before, and for the
/// collections that it has searched, and reads when those before it have ended. Transactions that then begin with these
/// documents, or with a query that could find them, stand behind it. A turn is no lock: it delays reads of such
/// transactions for a limited time, and nothing else.
final class Turns: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time after which the next one need not wait any longer for a transaction that has its turn.
    private static let longestTurn = Duration.seconds(1)
    /// The time after which a transaction reads without having its turn.
    private static let longestWait = Duration.seconds(10)

    private let state = Mutex(TurnLines())
    private let changed = Signal()
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Instant

    /// Makes an empty set of lines.
    ///
    /// - Parameters:
    ///   - clock: the clock of waits.
    ///   - now: the present time, by which the longest wait is bounded.
    init(clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Instant = { .now }) {
        self.clock = clock
        self.now = now
    }

    /// Remembers a transaction that was aborted because of a conflict, unless it has read too much to stand in line,
    /// and ends its turn.
    func lost(_ id: Data, _ reads: TransactionReads?, in database: DatabaseID) {
        if let reads, reads.paths.count + reads.queries.count <= TurnLines.mostLooks {
            let things = ContendedThing.things(of: reads, in: database)
            state.withLock { $0.remember(id, things) }
        }
        leave(id)
    }

    /// Puts a transaction in line that runs again for another one.
    func enter(_ id: Data, insteadOf earlier: Data) { state.withLock { $0.enter(id, insteadOf: earlier) } }

    /// Puts a transaction in line that is about to read documents for which others stand in line.
    ///
    /// - Parameters:
    ///   - paths: the documents, if they are known.
    ///   - scope: the scope of the query that finds them; `nil` without a query.
    func join(
        _ id: Data, reading paths: [DocumentPath], searching scope: Query.Scope? = nil, in database: DatabaseID
    ) {
        state.withLock { lines in
            lines.join(id, paths.lazy.map { ContendedThing($0, in: database) })
            if let scope { lines.join(id, CollectionOfOne(ContendedThing(scope, in: database))) }
        }
    }

    /// Waits until those before a transaction have ended, for a limited time.
    func wait(for id: Data) async {
        let end = now() + Self.longestWait
        while now() < end, let holder = first(before: id) {
            await changed.wait(atMost: Self.longestTurn, clock: clock) { self.first(before: id) != holder }
            guard !Task.isCancelled else { return leave(id) }
            // It has had its time.
            if first(before: id) == holder { leave(holder) }
        }
    }

    /// Ends the turn of a transaction, if it has one or waits for one.
    func leave(_ id: Data) {
        if state.withLock({ $0.leave(id) }) { changed.notify() }
    }

    private func first(before id: Data) -> Data? { state.withLock { $0.first(before: id) } }
}
