/// A pool for tasks that synchronous code starts. They are child tasks of the task that runs the pool.
package final class TaskPool: Sendable {
    private let works: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

    package init() {
        (works, queue) = AsyncStream.makeStream()
    }

    /// Starts a task once the pool runs. A task that is added after ``finish()`` never starts.
    package func add(_ work: @escaping @Sendable () async -> Void) { queue.yield(work) }

    /// Runs the added tasks until ``finish()`` was called and all of them have ended. Cancellation reaches all of
    /// them.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await work in works { group.addTask { await work() } }
        }
    }

    /// Lets no more tasks start.
    package func finish() { queue.finish() }
}
