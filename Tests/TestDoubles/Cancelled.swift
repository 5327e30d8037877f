import Testing

/// Runs an operation in a task that is cancelled before it.
package func cancelled<Success: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success.self) { group in
        group.addTask {
            while !Task.isCancelled { await Task.yield() }
            return try await operation()
        }
        group.cancelAll()
        return try #require(try await group.next())
    }
}
