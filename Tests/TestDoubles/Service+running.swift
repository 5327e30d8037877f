package import ServiceLifecycle

extension Service {
    /// Runs the service for the duration of the body.
    package func running(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }
}
