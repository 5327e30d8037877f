import DocumentStore

/// The registrations that have documents, with their subscriptions. Removing one removes all documents that belong to
/// it.
struct RegistrationStore: Sendable {
    let store: any DocumentStore

    /// The number of subscriptions in one commit. Each is two documents.
    private static let batch = 200

    /// Removes registrations, each with both ends of its subscriptions. A registration that has changed since it was
    /// read stays.
    ///
    /// - Parameter time: the time to note for the apps of browsers, if a push service has ended the subscriptions.
    /// - Returns: the number of removed registrations.
    func remove(_ registrations: [Document], notedAt time: Timestamp? = nil) async throws(StoreError) -> Int {
        var count = 0
        var groups: [[Write]] = []
        for registration in registrations {
            guard var group = try await removal(of: registration) else { continue }
            if let time { group += try RemovedSubscriptions.writes(removing: registration, at: time) }
            groups.append(group)
            guard groups.joined().count >= 2 * Self.batch else { continue }
            count += try await store.commit(groups: groups)
            groups = []
        }
        return count + (try await store.commit(groups: groups))
    }

    /// Removes both ends of invalid subscriptions. A subscription that was renewed since it was read stays.
    ///
    /// - Parameter subscriptions: the documents of the topics' ends.
    func removeVoid(_ subscriptions: [Document]) async throws(StoreError) {
        var groups: [[Write]] = []
        for subscription in subscriptions {
            guard let topic = subscription.path.collection.parent?.id else { continue }
            let other = try RegistrationDocuments.subscriptions(of: subscription.path.id).document(topic)
            groups.append([
                .delete(subscription.path, precondition: .updateTime(subscription.updateTime)), .delete(other),
            ])
        }
        try await store.commit(groups: groups)
    }

    /// Returns the writes that remove a registration and its last subscriptions. Earlier batches are removed here,
    /// while the registration exists: if that is interrupted, the next report of the invalid token finds the rest. If
    /// the registration is renewed in between, it stays without the subscriptions of those batches.
    ///
    /// - Returns: `nil` if the registration has changed since it was read.
    func removal(of registration: Document) async throws(StoreError) -> [Write]? {
        let isUnchanged = Precondition.updateTime(registration.updateTime)
        while true {
            let topics = try await topics(of: registration.path.id)
            let ends = try deletes(of: registration.path.id, topics)
            guard topics.count == Self.batch else {
                return [.delete(registration.path, precondition: isUnchanged)] + ends
            }
            // An empty merge changes nothing; it carries the precondition.
            let unchanged = Write.merge(registration.path, [:], precondition: isUnchanged)
            guard try await store.commit(groups: [[unchanged] + ends]) == 1 else { return nil }
        }
    }

    private func topics(of fid: String) async throws(StoreError) -> [String] {
        var query = Query.collection(try RegistrationDocuments.subscriptions(of: fid)).limited(to: Self.batch)
        query.projection = []
        return try await store.documents(matching: query).map(\.path.id)
    }

    private func deletes(of fid: String, _ topics: [String]) throws(StoreError) -> [Write] {
        var writes: [Write] = []
        for topic in topics {
            for path in try RegistrationDocuments.ends(of: fid, topic) { writes.append(.delete(path)) }
        }
        return writes
    }
}
