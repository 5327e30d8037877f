internal import Synchronization

/// Runs the work of one key in the order in which it came, one after the other; that of different keys at once.
final class KeyedQueue: Sendable {
    /// The work that waits, of each key that is at work.
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
