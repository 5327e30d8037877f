import DequeModule
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
/// again. So a transaction that runs again stands in line for the documents that it has read before, and reads when
/// those before it have ended. Transactions that then begin with these documents stand behind it. A turn is no lock: it
/// delays reads of such transactions for a limited time, and nothing else.
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

    /// Remembers a transaction that was aborted because of a conflict, and ends its turn.
    func lost(_ id: Data, _ reads: TransactionReads?, in database: DatabaseID) {
        state.withLock { $0.remember(id, (reads?.paths ?? []).map { ContendedDocument(database: database, path: $0) }) }
        leave(id)
    }

    /// Puts a transaction in line that runs again for another one.
    func enter(_ id: Data, insteadOf earlier: Data) { state.withLock { $0.enter(id, insteadOf: earlier) } }

    /// Puts a transaction in line that is about to read documents for which others stand in line.
    func join(_ id: Data, reading paths: [DocumentPath], in database: DatabaseID) {
        state.withLock { $0.join(id, paths.lazy.map { ContendedDocument(database: database, path: $0) }) }
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

/// A document for which transactions contend.
private struct ContendedDocument: Hashable {
    let database: DatabaseID
    let path: DocumentPath
}

/// The lines in which transactions stand, one for each document. All lines have the order of arrival, so no two
/// transactions wait for each other.
private struct TurnLines: Sendable {
    /// The most transactions in line, and the most that are remembered.
    private static let most = 1_000
    /// The most documents of a transaction that stands in line.
    private static let mostDocuments = 50

    private var lines: [ContendedDocument: [Data]] = [:]
    private var documents: [Data: [ContendedDocument]] = [:]
    /// The documents that aborted transactions have read.
    private var losers: [Data: [ContendedDocument]] = [:]
    private var oldestLosers: Deque<Data> = []

    mutating func remember(_ id: Data, _ documents: [ContendedDocument]) {
        guard !documents.isEmpty, documents.count <= Self.mostDocuments, losers[id] == nil else { return }
        losers[id] = documents
        oldestLosers.append(id)
        if oldestLosers.count > Self.most, let oldest = oldestLosers.popFirst() { losers[oldest] = nil }
    }

    mutating func enter(_ id: Data, insteadOf earlier: Data) {
        if let documents = losers[earlier] { stand(id, for: documents) }
    }

    mutating func join(_ id: Data, _ wanted: some Sequence<ContendedDocument>) {
        guard !lines.isEmpty, documents[id] == nil else { return }
        stand(id, for: wanted.filter { lines[$0] != nil })
    }

    private mutating func stand(_ id: Data, for wanted: [ContendedDocument]) {
        guard !wanted.isEmpty, wanted.count <= Self.mostDocuments, documents[id] == nil else { return }
        // Most of them have been abandoned.
        if documents.count >= Self.most { (lines, documents) = ([:], [:]) }
        let wanted = Array(Set(wanted))
        documents[id] = wanted
        for document in wanted { lines[document, default: []].append(id) }
    }

    /// Returns a transaction that has its turn and for which another one waits; `nil` if that one has its turn.
    func first(before id: Data) -> Data? {
        documents[id]?.lazy.compactMap { lines[$0]?.first }.first { $0 != id }
    }

    /// Returns `true` if the transaction stood in line.
    mutating func leave(_ id: Data) -> Bool {
        guard let left = documents.removeValue(forKey: id) else { return false }
        for document in left {
            lines[document]?.removeAll { $0 == id }
            if lines[document]?.isEmpty == true { lines[document] = nil }
        }
        return true
    }
}
