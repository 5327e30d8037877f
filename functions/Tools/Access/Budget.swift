internal import Synchronization

/// So much of something that is scarce, memory or places, shared by all who need some.
final class Budget: Sendable {
    private let left: Mutex<Int>

    init(_ amount: Int) { left = Mutex(amount) }

    /// Runs the body with so much taken; nil, and nothing has run, when there is not so much left.
    func reserving<Result>(_ amount: Int, _ body: () async throws -> Result) async rethrows -> Result? {
        let isGranted = left.withLock { left in
            guard left >= amount else { return false }
            left -= amount
            return true
        }
        guard isGranted else { return nil }
        defer { left.withLock { $0 += amount } }
        return try await body()
    }
}
