internal import Synchronization

/// Lets so many callers ask the site at the same time, beside the loop, and turns the others away.
final class Visitors: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    func letIn<Output: Sendable>(
        _ body: () async throws(GameSiteError) -> Output
    ) async throws(GameSiteError) -> Output {
        let isFull = count.withLock { count in
            count += 1
            return count > limit
        }
        defer { count.withLock { $0 -= 1 } }
        guard !isFull else { throw .busy }
        return try await body()
    }
}
