internal import NIOCore

extension Channel {
    /// Runs what serves this connection, and closes the connection when the task is cancelled: a server whose time to stop
    /// is up cancels all it serves, and nobody would close what is still open afterwards.
    func closedOnCancellation(while serving: () async -> Void) async {
        await withTaskCancellationHandler {
            await serving()
        } onCancel: {
            close(promise: nil)
        }
    }

    /// Runs the work for this connection, which closes it in the end, and cancels the work when the client closes it first.
    func cancellingOnClose(during work: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await work() }
            try? await closeFuture.get()
            group.cancelAll()
        }
    }
}
