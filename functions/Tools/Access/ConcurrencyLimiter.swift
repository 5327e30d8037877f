internal import Synchronization

/// Lets each key do so many things at once. It remembers those that are doing something, and nobody else.
final class ConcurrencyLimiter: Sendable {
    private let limit: Int
    private let running = Mutex<[String: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// Runs the body; nil, and nothing has run, when the key is at its limit.
    func running<Result>(_ key: String, _ body: () async throws -> Result) async rethrows -> Result? {
        let isAdmitted = running.withLock { running in
            guard running[key, default: 0] < limit else { return false }
            running[key, default: 0] += 1
            return true
        }
        guard isAdmitted else { return nil }
        defer { leave(key) }
        return try await body()
    }

    private func leave(_ key: String) {
        running.withLock { running in
            let left = running[key, default: 0] - 1
            running[key] = left > 0 ? left : nil
        }
    }
}
