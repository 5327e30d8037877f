import DocumentStore

extension DocumentStore {
    /// Commits groups of writes, many in one commit. Each group is applied as a whole or not at all.
    ///
    /// A group with a document that was changed in the meantime (`FAILED_PRECONDITION`) is skipped. The other groups
    /// of its commit are then applied one by one.
    ///
    /// - Returns: the number of applied groups. If this throws, the groups of earlier commits were applied.
    @discardableResult
    func commit(groups: [[Write]]) async throws(StoreError) -> Int {
        var count = 0
        var rest = groups[...]
        while !rest.isEmpty {
            let batch = rest.firstBatch
            count += try await commit(batch)
            rest = rest.dropFirst(batch.count)
        }
        return count
    }

    private func commit(_ groups: ArraySlice<[Write]>) async throws(StoreError) -> Int {
        do {
            _ = try await commit(groups.flatMap(\.self))
            return groups.count
        } catch {
            guard error.code == .failedPrecondition else { throw error }
        }
        guard groups.count > 1 else { return 0 }
        var count = 0
        for group in groups { count += try await commit([group]) }
        return count
    }
}

extension ArraySlice<[Write]> {
    /// The maximum number of writes in a commit. Commits of other callers wait for it.
    private static var maximumWrites: Int { 500 }

    /// The first groups that fit into one commit, at least one.
    fileprivate var firstBatch: Self {
        var writes = 0
        return prefix { group in
            writes += group.count
            return writes == group.count || writes <= Self.maximumWrites
        }
    }
}
