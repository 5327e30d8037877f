import DequeModule
import DocumentStore
import Foundation
import Synchronization

/// Threads with a connection each, which take work from one queue. libpq's calls block, so they have threads of their
/// own.
final class ConnectionPool: Sendable {
    private typealias Job = @Sendable (ConnectionSlot) -> Void

    /// The state behind the condition of the threads.
    private final class Queue: @unchecked Sendable {  // because `condition` guards the other properties
        let condition = NSCondition()
        var jobs: Deque<Job> = []
        var isClosed = false
    }

    private let queue = Queue()

    init(url: String, size: Int) {
        for number in 0..<size {
            let thread = Thread { [queue] in
                let slot = ConnectionSlot(url: url)
                while let job = Self.next(in: queue) { job(slot) }
            }
            thread.name = "store \(number)"
            thread.start()
        }
    }

    /// Runs a closure that changes nothing on a connection. It starts again on a new one if the connection turns out to
    /// be lost.
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

    /// Queues the closure.
    ///
    /// - Parameter refused: called in its place if the pool is closed.
    func submit(_ body: @escaping @Sendable (ConnectionSlot) -> Void, refused: () -> Void) {
        queue.condition.lock()
        let isClosed = queue.isClosed
        if !isClosed {
            queue.jobs.append(body)
            queue.condition.signal()
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

    private static func next(in queue: Queue) -> Job? {
        queue.condition.lock()
        defer { queue.condition.unlock() }
        while queue.jobs.isEmpty {
            if queue.isClosed { return nil }
            queue.condition.wait()
        }
        return queue.jobs.removeFirst()
    }
}

/// The connection of one thread, which is made when it is needed first, and again after it was lost.
final class ConnectionSlot {
    private let url: String
    private var connection: Connection?

    init(url: String) { self.url = url }

    /// Runs a closure that changes nothing on the connection. A connection that was lost while it was idle is replaced.
    func attempt<Answer>(_ body: (Connection) throws -> Answer) -> Result<Answer, StoreError> {
        do {
            let (wasIdle, connection) = try ready()
            do {
                return .success(try body(connection))
            } catch let error as PostgreSQLError where error.isLost && wasIdle {
                return .success(try body(try ready().connection))
            }
        } catch {
            return .failure(StoreError(wrapping: error))
        }
    }

    /// Returns a connection, and `true` if it was used before.
    func ready() throws -> (wasIdle: Bool, connection: Connection) {
        if let connection, connection.isAlive { return (true, connection) }
        let new = try Connection(url)
        connection = new
        return (false, new)
    }
}
