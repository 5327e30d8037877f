/// Tasks that code which is not asynchronous begins: children of whoever runs the pool.
public final class TaskPool: Sendable {
    private let works: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

    public init() {
        (works, queue) = AsyncStream.makeStream()
    }

    /// Begins a task, once the pool runs; one that is added after ``finish()`` never begins.
    public func add(_ work: @escaping @Sendable () async -> Void) { queue.yield(work) }

    /// Runs what is added, until ``finish()`` and the end of all of it. Cancellation is passed on to all of it.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for await work in works { group.addTask { await work() } }
        }
    }

    /// Lets nothing more begin.
    public func finish() { queue.finish() }
}
