package import DocumentStore

/// The record of subscriptions that their push services have ended, for the apps whose browsers subscribe again.
///
/// `removedSubscriptions/{digest}`: `removedAt`. A subscription has one for each of its registrations, by a digest of
/// the registration's path, and one by the digest of its address.
package struct RemovedSubscriptions: Sendable {
    private static let collection = "removedSubscriptions"
    private static let removedAt = "removedAt"
    /// The time for which a removal is remembered.
    private static let retention = Duration.seconds(90 * 86_400)
    /// The number of documents that are deleted at once.
    private static let batch = 500

    /// The indexes that the record needs in its store.
    static let fieldIndexes = [
        FieldIndex(collectionGroup: collection, field: FieldPath(removedAt), type: .timestamp)
    ]

    private let store: any DocumentStore

    package init(store: any DocumentStore) { self.store = store }

    /// Returns the writes that note the removal of a registration; none unless it is one of a subscription.
    static func writes(removing document: Document, at time: Timestamp) throws(StoreError) -> [Write] {
        guard let digest = document[RegistrationFields.digest]?.string else { return [] }
        let fields: Fields = [removedAt: .timestamp(time)]
        return [
            .set(try path(of: document.path), fields), .set(try CollectionPath(collection).document(digest), fields),
        ]
    }

    /// Returns the time of the last removal of a registration's subscription, or of the subscription with a digest, and
    /// the writes that forget it.
    func removal(
        at registration: DocumentPath, orOf digest: String?
    ) async throws(StoreError) -> (time: Timestamp?, writes: [Write]) {
        var paths = [try Self.path(of: registration)]
        if let digest { paths.append(try CollectionPath(Self.collection).document(digest)) }
        let documents = try await store.documents(at: paths).compactMap(\.self)
        let times = documents.compactMap { $0[Self.removedAt]?.timestamp }
        return (times.max(), documents.map { .delete($0.path) })
    }

    private static func path(of registration: DocumentPath) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(HalfDigest(of: registration.description.utf8).description)
    }

    /// Forgets the removals of long ago.
    package func sweep(at time: Timestamp) async throws(StoreError) {
        var query = Query.collection(try CollectionPath(Self.collection))
            .where(FieldPath(Self.removedAt), .lessThan, .timestamp(time.adding(.zero - Self.retention)))
            .limited(to: Self.batch)
        query.projection = []
        while true {
            let old = try await store.documents(matching: query)
            _ = try await store.commit(old.map { .delete($0.path) })
            if old.count < Self.batch { return }
        }
    }
}
