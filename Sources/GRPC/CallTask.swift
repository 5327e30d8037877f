import Synchronization

/// A handle with which the event loop cancels the task that runs a call, or serves a request.
///
/// A task of a group cannot be cancelled alone, and a group for each call would double the number of tasks. So the
/// task leaves a handle to itself here while it runs the call.
package final class CallTask: Sendable {
    private struct Handle: @unchecked Sendable {  // because `cancel` may be called on any thread while the task runs
        let task: UnsafeCurrentTask
    }

    private struct State {
        var running: Handle?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Creates a handle to no task yet.
    package init() {}

    /// Runs the work in the current task, which is cancelled with ``cancel()``.
    package func run<Output: Sendable>(_ work: () async -> Output) async -> Output {
        await withUnsafeCurrentTask { task in
            begin(task)
            let output = await work()
            state.withLock { $0.running = nil }
            return output
        }
    }

    private func begin(_ task: UnsafeCurrentTask?) {
        guard let task else { return }
        let handle = Handle(task: task)
        state.withLock { state in
            state.running = handle
            if state.isCancelled { handle.task.cancel() }
        }
    }

    /// Cancels the task, at once or as soon as it begins the work; no effect after the work. The lock keeps the task
    /// from ending during the call.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.running?.task.cancel()
        }
    }
}
