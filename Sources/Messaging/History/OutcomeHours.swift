package import DocumentStore

/// The outcomes of the last week, hour by hour: one small document for each hour with any.
///
/// `outcomeHours/{hour}`, such as `outcomeHours/2026-11-28T10` in UTC: `accepted`, `rejected`, `failed`. Gateways that
/// share the documents add to the same ones.
package struct OutcomeHours: Sendable {
    static let collection = "outcomeHours"
    /// The hours that are kept: a week, and the one that has begun.
    package static let kept = 7 * 24 + 1

    private enum Field {
        static let accepted = FieldPath("accepted")
        static let rejected = FieldPath("rejected")
        static let failed = FieldPath("failed")
    }

    /// The old documents that are deleted at once. Each hour adds one at most.
    private static let batch = 50

    private let store: any DocumentStore

    package init(store: any DocumentStore) { self.store = store }

    /// Returns the number of the hour of a time, since 1970.
    package static func number(of time: Timestamp) -> Int64 { Int64((Double(time.seconds) / 3_600).rounded(.down)) }

    /// Returns the beginning of an hour.
    package static func start(of hour: Int64) -> Timestamp { Timestamp(microseconds: hour * 3_600_000_000) }

    private static func path(of hour: Int64) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(String(start(of: hour).description.prefix(13)))
    }

    /// Returns the stored outcomes from an hour on, by the numbers of their hours.
    package func counts(from hour: Int64) async throws(StoreError) -> [Int64: RecentOutcomes.Counts] {
        var query = Query.collection(try CollectionPath(Self.collection)).ordered(by: .documentName)
            .limited(to: Self.kept)
        query.start = Cursor([.reference(try Self.path(of: hour).name(in: store.database))], isAfter: false)
        var counts: [Int64: RecentOutcomes.Counts] = [:]
        for document in try await store.documents(matching: query) {
            guard let time = Timestamp("\(document.path.id):00:00Z") else { continue }
            counts[Self.number(of: time)] = RecentOutcomes.Counts(
                accepted: document.count("accepted"), rejected: document.count("rejected"),
                failed: document.count("failed"))
        }
        return counts
    }

    /// Adds outcomes to those of their hours, and forgets the hours before the last week.
    func add(_ counts: [Int64: RecentOutcomes.Counts]) async throws(StoreError) {
        guard let newest = counts.keys.max() else { return }
        var writes: [Write] = []
        for (hour, counts) in counts {
            let numbers = [
                (Field.accepted, counts.accepted), (Field.rejected, counts.rejected), (Field.failed, counts.failed),
            ]
            let transforms = numbers.map { FieldTransform($0.0, .increment(.integer(Int64($0.1)))) }
            writes.append(.merge(try Self.path(of: hour), [:], transforms: transforms))
        }
        let first = try Self.path(of: newest - Int64(Self.kept) + 1)
        var old = Query.collection(first.collection).ordered(by: .documentName).limited(to: Self.batch)
        old.projection = []
        let paths = try await store.documents(matching: old).map(\.path).filter { $0 < first }
        writes += paths.map { Write.delete($0) }
        _ = try await store.commit(writes)
    }
}

extension Document {
    fileprivate func count(_ field: String) -> Int { Int(clamping: self[field]?.integer ?? 0) }
}
