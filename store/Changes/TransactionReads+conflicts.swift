extension TransactionReads {
    /// The bound of a comparison, for which all commits wait, in about the time that it takes to decode a byte of a
    /// document.
    private static let mostWork = 64 << 20

    /// Returns `true` if a read has changed, or may have changed, before the transaction's commit.
    ///
    /// - Parameters:
    ///   - database: the database of the reads.
    ///   - group: the changes by the commits that come before this one in its group.
    ///   - last: the time of the last change before the group, or a later one.
    ///   - earlier: compares the reads with the changes before the group, if there are any since the reads.
    package func haveChanged(
        in database: DatabaseID, by group: ChangedDocuments, since last: Timestamp, earlier: () throws -> Bool
    ) rethrows -> Bool {
        guard !isEmpty else { return false }
        if group.removals.contains(where: { $0.database == database }) { return true }
        if conflict(with: group.all.lazy.filter { $0.database == database && $0.time > time }) { return true }
        guard last > time else { return false }
        return try earlier()
    }

    /// Returns `true` if one of the changes concerns a read, or may do so. A query's orders, cursors and limit are not
    /// considered. Many queries that would have to be compared with many changes count as a conflict.
    package func conflict(with changes: some Sequence<ChangedDocument>) -> Bool {
        var work = 0
        return changes.contains { change in concern(change, &work) || work > Self.mostWork }
    }

    /// Returns `true` unless the documents that were read are known to be unchanged, from their update times alone.
    /// Those do not tell of a document that was removed, or of the result of a query.
    ///
    /// - Parameter find: returns the present document at a path.
    package func mayHaveChanged(
        comparing find: (DocumentPath) throws -> StoredDocument?
    ) rethrows -> Bool {
        guard queries.isEmpty else { return true }
        return try paths.contains { path in
            guard let document = try find(path) else { return true }
            return document.updateTime > time
        }
    }

    /// Returns `true` if a change concerns a document that was read, or may concern the result of a query.
    ///
    /// - Parameter work: grows by the work of the comparison.
    private func concern(_ change: ChangedDocument, _ work: inout Int) -> Bool {
        if paths.contains(change.path) { return true }
        work += 16 * queries.count
        let concerned = queries.filter { $0.scope.contains(change.path) }
        let filters = concerned.compactMap(\.filter)
        guard filters.count == concerned.count else { return true }
        guard !filters.isEmpty else { return false }
        for document in [change.before, change.after].compactMap(\.self) {
            work += document.json.count + filters.reduce(0) { $0 + $1.work(onBytes: document.json.count) }
            guard work <= Self.mostWork, let document = try? document.document(at: change.path) else { return true }
            if filters.contains(where: { $0.matches(document, in: change.database) }) { return true }
        }
        return false
    }
}

extension Filter {
    /// Returns the work of a match against a document with so many bytes.
    fileprivate func work(onBytes bytes: Int) -> Int {
        switch self {
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.work(onBytes: bytes) }
        case .unary: 16
        case .field(_, .arrayContains, _): 16 + bytes / 8
        case .field(_, .arrayContainsAny, let operand): (16 + bytes / 8) * (operand.array?.count ?? 1)
        case .field(_, _, let operand): 16 * (operand.array?.count ?? 1)
        }
    }
}
