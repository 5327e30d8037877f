import NIOCore
import Synchronization

/// The tasks that serve the requests of one HTTP/2 connection.
///
/// A task that has served a request takes the next one, or waits for it: under load a request costs neither a new task
/// nor a turn of the task that would start it.
final class HTTP2StreamTasks: Sendable {
    typealias Request = @Sendable () async -> Void

    /// The maximum number of tasks that wait for requests.
    private static let maximumIdle = 16

    private typealias Worker = CheckedContinuation<Request?, Never>
    private typealias Starter = CheckedContinuation<Bool, Never>

    private enum Next {
        case request(Request)
        case end
        case wait
    }

    private struct State {
        /// The requests for which a task is being started.
        var waiting = CircularBuffer<Request>()
        var idle: [Worker] = []
        /// The number of tasks to start.
        var missing = 0
        /// The task that starts the others, if it waits.
        var starter: Starter?
        var isFinished = false

        mutating func next(for worker: Worker) -> Next {
            if let request = waiting.popFirst() { return .request(request) }
            if isFinished || idle.count >= HTTP2StreamTasks.maximumIdle { return .end }
            idle.append(worker)
            return .wait
        }
    }

    private let state = Mutex(State())

    /// Serves requests until ``finish()``, and all requests that began before.
    ///
    /// If the task is cancelled, so are the tasks of the requests; the caller must also close the connection.
    func serve() async {
        await withDiscardingTaskGroup { group in
            while await isTaskMissing() { group.addTask { await self.serveRequests() } }
        }
    }

    /// Serves a request in one of the tasks.
    func run(_ request: @escaping Request) {
        let idle = state.withLock { state -> Worker? in
            if let idle = state.idle.popLast() { return idle }
            state.waiting.append(request)
            state.missing += 1
            return nil
        }
        if let idle { idle.resume(returning: request) } else { wakeStarter() }
    }

    private func wakeStarter() {
        let starter = state.withLock { state -> Starter? in
            guard state.missing > 0, let starter = state.starter else { return nil }
            state.missing -= 1
            state.starter = nil
            return starter
        }
        starter?.resume(returning: true)
    }

    /// Ends the tasks that wait. Call it when no more requests can arrive.
    func finish() {
        let (idle, starter) = state.withLock { state -> ([Worker], Starter?) in
            state.isFinished = true
            defer { (state.idle, state.starter) = ([], nil) }
            return (state.idle, state.starter)
        }
        for worker in idle { worker.resume(returning: nil) }
        starter?.resume(returning: false)
    }

    // MARK: The tasks

    /// Waits until a task must be started; `false` if there will be no more.
    private func isTaskMissing() async -> Bool {
        await withCheckedContinuation { continuation in
            let isMissing = state.withLock { state -> Bool? in
                guard state.missing == 0 else {
                    state.missing -= 1
                    return true
                }
                if !state.isFinished { state.starter = continuation }
                return state.isFinished ? false : nil
            }
            if let isMissing { continuation.resume(returning: isMissing) }
        }
    }

    private func serveRequests() async {
        while let request = await next() {
            await request()
            // The cancellation of a request stays with its task, and must not reach another request.
            if Task.isCancelled { return }
        }
    }

    /// Waits for a request; `nil` if the task is to end.
    private func next() async -> Request? {
        if let request = state.withLock({ $0.waiting.popFirst() }) { return request }
        return await withCheckedContinuation { continuation in
            switch state.withLock({ $0.next(for: continuation) }) {
            case .request(let request): continuation.resume(returning: request)
            case .end: continuation.resume(returning: nil)
            case .wait: break
            }
        }
    }
}
