package import DocumentStore

extension PostgreSQLEngine {
    /// Returns the names of the members that renew their places, for an engine that is none. It watches them for three
    /// renewals, if there are any.
    package func livingMembers(leaseLength: Duration) async throws(StoreError) -> [String] {
        let before = try await presentMembers()
        guard !before.isEmpty else { return [] }
        try? await Task.sleep(for: leaseLength * 3 / 15)
        return try await presentMembers().subtracting(before).map(\.name).sorted()
    }

    private func presentMembers() async throws(StoreError) -> Set<MemberList.Row> {
        try await pool.run { try DatabaseMember.present($0) }
    }
}
