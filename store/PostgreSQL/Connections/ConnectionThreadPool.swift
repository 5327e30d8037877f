import DequeModule
import DocumentStore
import Foundation
import Synchronization

/// Threads with a connection each, which take work from one queue. libpq's calls block, so they have threads of their
/// own.
final class ConnectionThreadPool: Sendable {
    fileprivate enum Job {
        case work(@Sendable (ConnectionSlot) -> Void)
        case read(Read)
    }

    /// A statement that reads, whose answer needs no other statement.
    fileprivate struct Read {
        let call: Call
        let completion: @Sendable (Result<Rows, StoreError>) -> Void
    }

    private struct Entry {
        let queued = ContinuousClock.now
        let job: Job
    }

    /// The state behind the condition of the threads.
    private final class Queue: @unchecked Sendable {  // because `condition` guards the other properties
        let condition = NSCondition()
        var entries: Deque<Entry> = []
        /// The number of reads among the entries.
        var reads = 0
        var isClosed = false
    }

    /// The greatest number of reads in one round trip.
    private static let mostReads = 16
    /// The time after which a server that cannot be reached counts as silent: others refuse connections at once.
    private static let longestSilence = Duration.seconds(1)

    let metrics = ServerMetrics()
    private let queue = Queue()

    init(_ configuration: PostgreSQLStoreConfiguration) {
        for number in 0..<configuration.connections {
            let thread = Thread { [queue, metrics] in
                let slot = ConnectionSlot(configuration)
                while let entries = Self.next(in: queue), let first = entries.first {
                    metrics.began(after: .now - first.queued)
                    Self.carryOut(entries.map(\.job), slot, queue)
                    metrics.ended()
                }
            }
            thread.name = "store \(number)"
            thread.start()
        }
    }

    /// Runs a closure on a connection. It starts again on a new one if the connection turns out to be lost, so it must
    /// change nothing that it may not change twice.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Answer
    ) async throws(StoreError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            submit { slot in
                continuation.resume(returning: slot.attempt(body))
            } refused: {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Returns the rows of a statement that changes nothing. Statements that wait at the same time share a round trip.
    func rows(of call: Call) async throws(StoreError) -> Rows {
        let result = await withCheckedContinuation { continuation in
            submit(.read(Read(call: call) { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Queues the closure.
    ///
    /// - Parameter refused: called in its place if the pool is closed.
    func submit(_ body: @escaping @Sendable (ConnectionSlot) -> Void, refused: () -> Void) {
        submit(.work(body), refused: refused)
    }

    private func submit(_ job: Job, refused: () -> Void) {
        queue.condition.lock()
        let isClosed = queue.isClosed
        if !isClosed {
            queue.entries.append(Entry(job: job))
            // The thread that was woken for the first read takes them all.
            if !job.isRead || queue.reads == 0 { queue.condition.signal() }
            if job.isRead { queue.reads += 1 }
        }
        queue.condition.unlock()
        if isClosed { refused() }
    }

    /// Refuses work from now on, and ends the threads after that in the queue.
    func close() {
        queue.condition.lock()
        queue.isClosed = true
        queue.condition.broadcast()
        queue.condition.unlock()
    }

    /// Waits for a job, and returns it, with the reads that follow a read. Returns `nil` at the end.
    private static func next(in queue: Queue) -> [Entry]? {
        queue.condition.lock()
        defer { queue.condition.unlock() }
        while queue.entries.isEmpty {
            if queue.isClosed { return nil }
            queue.condition.wait()
        }
        var taken = [queue.entries.removeFirst()]
        while taken[0].job.isRead, taken.count < mostReads, let next = queue.entries.first, next.job.isRead {
            taken.append(queue.entries.removeFirst())
        }
        if taken[0].job.isRead { queue.reads -= taken.count }
        // No thread may have been woken for the rest.
        if !queue.entries.isEmpty { queue.condition.signal() }
        return taken
    }

    /// Takes all reads out of the queue.
    private static func waitingReads(in queue: Queue) -> [Read] {
        queue.condition.lock()
        defer { queue.condition.unlock() }
        let reads = queue.entries.compactMap { entry in if case .read(let read) = entry.job { read } else { nil } }
        queue.entries.removeAll(where: \.job.isRead)
        queue.reads = 0
        return reads
    }

    private static func carryOut(_ jobs: [Job], _ slot: ConnectionSlot, _ queue: Queue) {
        var reads: [Read] = []
        for job in jobs {
            switch job {
            case .work(let body): body(slot)
            case .read(let read): reads.append(read)
            }
        }
        guard !reads.isEmpty else { return }
        let start = ContinuousClock.now
        switch slot.attempt({ [reads] in try $0.run(reads.map(\.call)) }) {
        case .success(let rows): for (read, rows) in zip(reads, rows) { read.completion(.success(rows)) }
        case .failure(let error) where reads.count == 1 || !slot.isConnected:
            // Those that wait would wait for the same silent server.
            let others = !slot.isConnected && .now - start > longestSilence ? waitingReads(in: queue) : []
            for read in reads + others { read.completion(.failure(error)) }
        case .failure:
            // One of them is the cause.
            for read in reads { read.completion(slot.attempt { try $0.run([read.call])[0] }) }
        }
    }
}

extension ConnectionThreadPool.Job {
    fileprivate var isRead: Bool { if case .read = self { true } else { false } }
}
