import Synchronization

/// A queue that runs work for the same key one at a time, in order of arrival. Work for different keys runs
/// concurrently.
final class KeyedQueue: Sendable {
    /// The waiting work of each key that is busy.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    func run<Result>(_ key: String, _ work: () async throws -> Result) async rethrows -> Result {
        await enter(key)
        defer { leave(key) }
        return try await work()
    }

    private func enter(_ key: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
