package import DocumentStore
package import ServiceLifecycle

/// A service that runs on one gateway at a time of those that share the documents: on the leader, from the moment it
/// leads.
package struct Duty: Service {
    private let base: any Service
    private let membership: (any Membership)?

    /// Creates a duty.
    ///
    /// - Parameter membership: `nil` if the gateway is on its own.
    package init(_ base: any Service, _ membership: (any Membership)?) {
        self.base = base
        self.membership = membership
    }

    /// Waits until this gateway leads, and runs the service.
    package func run() async throws {
        if let membership {
            await cancelWhenGracefulShutdown { await membership.untilLeader() }
            guard membership.isLeader else { return }
        }
        try await base.run()
    }
}
