import Dispatch

/// A thread of its own for the calls with large requests.
///
/// To decode, check and encode megabytes takes up to a second. On the threads that all calls share, a few such requests
/// at once would hold up everything else. Here they only wait for each other, and the operating system gives the other
/// threads their time.
final class LargeRequests: TaskExecutor {
    /// The size up to which requests run on the shared threads.
    private static let smallBytes = 64 * 1_024

    private let queue = DispatchQueue(label: "pushgate.firestore.requests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a call: on this thread if its request is large, and not at all if its client has gone by then.
    ///
    /// - Parameter bytes: the size of the request.
    /// - Throws: the error of the call; `CANCELLED` if the client has gone.
    func run<Answer: Sendable>(
        _ bytes: Int, for caller: FirestoreCaller, _ call: () async throws(FirestoreStatus) -> Answer
    ) async throws(FirestoreStatus) -> Answer {
        if bytes <= Self.smallBytes { return try await call() }
        return try await withTaskExecutorPreference(self) { () async throws(FirestoreStatus) -> Answer in
            guard !Task.isCancelled, caller.isWaiting() else {
                throw FirestoreStatus(.cancelled, "The client has gone before its request was read.")
            }
            return try await call()
        }
    }
}
