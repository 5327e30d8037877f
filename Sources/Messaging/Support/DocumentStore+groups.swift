internal import DocumentStore

extension DocumentStore {
    /// Commits groups of writes, each of them whole or not at all, and many at once.
    ///
    /// A group one of whose documents was changed meanwhile (`FAILED_PRECONDITION`) is left out; the others of its commit are
    /// then applied one by one.
    ///
    /// - Returns: how many groups were applied. When this throws, those of earlier commits were.
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
    /// How many writes a commit has at most: those of others wait for it.
    private static var maximumWrites: Int { 500 }

    /// The first groups that fit one commit, one at least.
    fileprivate var firstBatch: Self {
        var writes = 0
        return prefix { group in
            writes += group.count
            return writes == group.count || writes <= Self.maximumWrites
        }
    }
}
