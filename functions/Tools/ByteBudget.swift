internal import Synchronization

/// So many bytes of memory for bodies that are read whole, shared by all who read one.
final class ByteBudget: Sendable {
    private let left: Mutex<Int>

    init(_ bytes: Int) { left = Mutex(bytes) }

    /// Runs the body with so many bytes taken; nil, and nothing has run, when there are not so many left.
    func reserving<Result>(_ bytes: Int, _ body: () async throws -> Result) async rethrows -> Result? {
        let isGranted = left.withLock { left in
            guard left >= bytes else { return false }
            left -= bytes
            return true
        }
        guard isGranted else { return nil }
        defer { left.withLock { $0 += bytes } }
        return try await body()
    }
}
