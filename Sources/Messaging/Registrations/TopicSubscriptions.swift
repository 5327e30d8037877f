package import DocumentStore

/// The subscriptions of registrations to topics.
package struct TopicSubscriptions: Sendable {
    private let store: any DocumentStore
    private let now: @Sendable () -> Timestamp

    /// Takes the time of new subscriptions from `now`.
    package init(store: any DocumentStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// Subscribes registrations to a topic.
    ///
    /// - Parameter topic: its canonical name (see ``TopicName``), as in all methods: it is the id of a document.
    /// - Returns: the subscription of each registration, in their order, and `true` if it is new.
    @discardableResult
    package func subscribe(
        _ registrations: [Registration], to topic: String
    ) async throws(StoreError) -> [(subscription: TopicSubscription, isNew: Bool)] {
        let existing = try await subscriptions(of: registrations, to: topic)
        var subscriptions: [(subscription: TopicSubscription, isNew: Bool)] = []
        var writes: [[Write]] = []
        for (registration, existing) in zip(registrations, existing) {
            if let existing {
                subscriptions.append((existing, false))
                continue
            }
            let subscription = TopicSubscription(topic: topic, createdAt: now())
            subscriptions.append((subscription, true))
            writes.append(try self.writes(subscription, registration))
        }
        try await store.commit(groups: writes)
        return subscriptions
    }

    /// Removes subscriptions.
    ///
    /// - Returns: `true` for each registration that was subscribed, in their order.
    @discardableResult
    package func unsubscribe(_ registrations: [Registration], from topic: String) async throws(StoreError) -> [Bool] {
        let existing = try await subscriptions(of: registrations, to: topic)
        var writes: [[Write]] = []
        for (registration, existing) in zip(registrations, existing) where existing != nil {
            writes.append(try RegistrationDocuments.ends(of: registration.fid, topic).map { .delete($0) })
        }
        try await store.commit(groups: writes)
        return existing.map { $0 != nil }
    }

    /// Returns a registration's subscription to a topic; `nil` if there is none.
    package func subscription(
        of registration: Registration, to topic: String
    ) async throws(StoreError) -> TopicSubscription? {
        try await subscriptions(of: [registration], to: topic).first ?? nil
    }

    /// Returns the topics that a registration is subscribed to, in the order of their names.
    ///
    /// - Parameter topic: the topic after which to start.
    package func subscriptions(
        of registration: Registration, after topic: String? = nil, limit: Int
    ) async throws(StoreError) -> [TopicSubscription] {
        let collection = try RegistrationDocuments.subscriptions(of: registration.fid)
        var query = Query.collection(collection)
            .where(FieldPath(RegistrationDocuments.Field.token), .equal, .string(registration.token.value))
            .ordered(by: .documentName)
            .limited(to: limit)
        if let topic {
            let last = try collection.document(topic).name(in: store.database)
            query.start = Cursor([.reference(last)], isAfter: true)
        }
        return try await store.documents(matching: query).map(TopicSubscription.init)
    }

    /// Returns all topics that a registration is subscribed to, in the order of their names.
    ///
    /// - Parameter pageSize: the number of subscriptions to read at a time, so that other reads need not wait for all.
    package func allSubscriptions(
        of registration: Registration, pageSize: Int = 1_000
    ) async throws(StoreError) -> [TopicSubscription] {
        var all: [TopicSubscription] = []
        while true {
            let page = try await subscriptions(of: registration, after: all.last?.topic, limit: pageSize)
            all += page
            if page.count < pageSize { return all }
        }
    }

    // MARK: Documents

    private func subscriptions(
        of registrations: [Registration], to topic: String
    ) async throws(StoreError) -> [TopicSubscription?] {
        guard !registrations.isEmpty else { return [] }
        let subscribers = try RegistrationDocuments.subscribers(of: topic)
        var paths: [DocumentPath] = []
        for registration in registrations { paths.append(try subscribers.document(registration.fid)) }
        // A subscription that cannot be read counts as absent: subscribing replaces it.
        return zip(registrations, try await store.outcomes(at: paths)).map { registration, outcome in
            guard case .success(let document?) = outcome,
                document[RegistrationDocuments.Field.token]?.string == registration.token.value
            else {
                return nil
            }
            return TopicSubscription(topic: topic, createdAt: document.createdAt)
        }
    }

    /// Returns the writes for both ends of a subscription, and for the registration if it is not stored yet. They
    /// share one commit: a subscription without its registration is invalid, and is removed.
    private func writes(
        _ subscription: TopicSubscription, _ registration: Registration
    ) throws(StoreError) -> [Write] {
        typealias Field = RegistrationDocuments.Field
        let fields: Fields = [
            Field.token: .string(registration.token.value), Field.createdAt: .timestamp(subscription.createdAt),
        ]
        var writes = try RegistrationDocuments.ends(of: registration.fid, subscription.topic)
            .map { Write.set($0, fields) }
        if !registration.isStored {
            writes.append(
                .set(try RegistrationDocuments.registration(registration.fid), registration.documentFields))
        }
        return writes
    }
}

/// A registration's subscription to a topic.
package struct TopicSubscription: Hashable, Sendable {
    /// The canonical name of the topic.
    package let topic: String
    /// The time of the subscription.
    package let createdAt: Timestamp
}

extension TopicSubscription {
    fileprivate init(_ document: Document) {
        self.init(topic: document.path.id, createdAt: document.createdAt)
    }
}

extension Document {
    fileprivate var createdAt: Timestamp {
        self[RegistrationDocuments.Field.createdAt]?.timestamp ?? createTime
    }
}
