/// The result of a transaction's commit as an engine keeps it, to answer a repetition.
package struct CommitOutcome: Sendable {
    /// The digest of the commit's writes.
    package let digest: [UInt8]
    package let result: CommitResult

    package init(digest: [UInt8], result: CommitResult) {
        self.digest = digest
        self.result = result
    }

    /// Reads a stored outcome.
    ///
    /// - Parameters:
    ///   - digest: the digest of the commit's writes.
    ///   - time: the commit's time.
    ///   - text: the rest of the result, as ``text`` is.
    /// - Throws: `DATA_LOSS` if no engine writes such a text.
    package init(digest: [UInt8], time: Timestamp, text: [UInt8]) throws(StoreError) {
        let fields = try StoredDocument(json: text, createTime: time, updateTime: time).fields(at: Self.place)
        self.init(digest: digest, result: CommitResult(time, fields))
    }

    /// The name of outcomes in errors.
    private static let place = DocumentPath(unchecked: "outcomes/transaction")

    /// The result in UTF-8, without the commit's time.
    package var text: [UInt8] { FieldsEncoder.encode(result.fields) }

    /// Returns the answer to a commit with the name of this one.
    package func answer(to identity: CommitIdentity) -> Result<CommitResult, StoreError> {
        guard identity.digest == digest else {
            return .failure(.invalid("The transaction has been committed with other writes."))
        }
        return .success(result)
    }
}

extension StoreError {
    /// The error for a transaction of which no outcome is kept.
    package static let noOutcome = StoreError(.notFound, "No outcome of the transaction is known.")
}

extension CommitResult {
    private static let (writes, times, results) = ("writes", "times", "results")

    /// The result as fields. Most writes have the time of the commit, which is left out.
    fileprivate var fields: Fields {
        var (times, results): (Fields, Fields) = ([:], [:])
        for (position, time) in updateTimes.enumerated() {
            if time != commitTime { times["\(position)"] = time.map(Value.timestamp) ?? .null }
            let values = transformResults(ofWrite: position)
            if !values.isEmpty { results["\(position)"] = .array(values) }
        }
        return [
            Self.writes: .integer(Int64(updateTimes.count)), Self.times: .map(times), Self.results: .map(results),
        ]
    }

    fileprivate init(_ time: Timestamp, _ fields: Fields) {
        let (times, results) = (fields[Self.times]?.map ?? [:], fields[Self.results]?.map ?? [:])
        let count = Int(fields[Self.writes]?.integer ?? 0)
        var transformed: [Int: [Value]] = [:]
        for (position, values) in results {
            if let position = Int(position) { transformed[position] = values.array }
        }
        self.init(
            commitTime: time, updateTimes: (0..<count).map { times["\($0)"].map(\.timestamp) ?? time },
            transformed: transformed)
    }
}
