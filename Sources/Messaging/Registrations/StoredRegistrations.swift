internal import DocumentStore

/// The registrations that are documents, and their subscriptions: what removes any of it removes all that belongs to it.
struct StoredRegistrations: Sendable {
    let store: any DocumentStore

    /// How many subscriptions go in one commit: each is two documents.
    private static let batch = 200

    /// Removes registrations, each with its subscriptions at both ends. One that was changed since it was read stays.
    ///
    /// - Returns: how many were removed.
    func remove(_ registrations: [Document]) async throws(StoreError) -> Int {
        var count = 0
        var groups: [[Write]] = []
        for registration in registrations {
            guard let group = try await removal(of: registration) else { continue }
            groups.append(group)
            guard groups.joined().count >= 2 * Self.batch else { continue }
            count += try await store.commit(groups: groups)
            groups = []
        }
        return count + (try await store.commit(groups: groups))
    }

    /// Removes subscriptions that are void, from both ends. One that was made anew since it was read stays.
    ///
    /// - Parameter subscriptions: as their topics have them.
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

    /// What removes a registration and the last of its subscriptions; those before are removed here, while it is there: cut
    /// short, the next word of its death finds the rest.
    ///
    /// - Returns: nil when it was changed since it was read.
    private func removal(of registration: Document) async throws(StoreError) -> [Write]? {
        let isUnchanged = Precondition.updateTime(registration.updateTime)
        while true {
            let topics = try await topics(of: registration.path.id)
            let ends = try deletes(of: registration.path.id, topics)
            guard topics.count == Self.batch else {
                return [.delete(registration.path, precondition: isUnchanged)] + ends
            }
            // A merge of nothing changes nothing; it is there for its precondition.
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
