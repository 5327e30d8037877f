import Signals
import Synchronization

/// A queue that runs work for the same key one at a time, in order of arrival. Work for different keys runs
/// concurrently.
final class KeyedQueue: Sendable {
    /// The queue of one key: the work is numbered in order of arrival.
    private struct Line {
        var last = 0
        /// The number of the work that runs.
        var current = 1
        let moved = Signal()
    }

    /// The queues of keys that are busy.
    private let lines = Mutex<[String: Line]>([:])

    func run<Result>(_ key: String, _ work: () async throws -> Result) async rethrows -> Result {
        await enter(key)
        defer { leave(key) }
        return try await work()
    }

    /// The number of tasks that wait for other work of the key.
    func waiterCount(of key: String) -> Int { lines.withLock { $0[key].map { $0.last - $0.current } ?? 0 } }

    private func enter(_ key: String) async {
        let (number, moved) = lines.withLock { lines in
            var line = lines[key] ?? Line()
            line.last += 1
            lines[key] = line
            return (line.last, line.moved)
        }
        await moved.waitEvenIfCancelled { self.lines.withLock { $0[key]?.current == number } }
    }

    private func leave(_ key: String) {
        let moved = lines.withLock { lines -> Signal? in
            guard var line = lines[key] else { return nil }
            line.current += 1
            lines[key] = line.current <= line.last ? line : nil
            return line.moved
        }
        moved?.notify()
    }
}
