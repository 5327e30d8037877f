package import DocumentStore

/// The record of the keys that a gateway has used for browsers' subscriptions, by which the loss of a key is noticed:
/// each subscription is good for one key.
///
/// `subscriptionKeys/{key}`: `firstUsedAt`, `hasReplaced` (`true` if browsers had registered before with another key).
package struct SubscriptionKeys: Sendable {
    private static let collection = "subscriptionKeys"

    private enum Field {
        static let firstUsedAt = "firstUsedAt"
        static let hasReplaced = "hasReplaced"
    }

    private let subscriptions: BrowserSubscriptions
    private let service: TransportName

    /// Keeps the record in the store of the subscriptions.
    ///
    /// - Parameter service: The push service whose subscriptions are good for one key.
    package init(of subscriptions: BrowserSubscriptions, for service: TransportName) {
        self.subscriptions = subscriptions
        self.service = service
    }

    private var store: any DocumentStore { subscriptions.store }

    /// Returns `true` if browsers have registered with another key than the gateway's; `nil` if the key is known.
    ///
    /// - Parameters:
    ///   - key: The public key in base64url.
    ///   - isNew: `true` if the gateway has just made it.
    package func isReplacement(_ key: String, isNew: Bool) async throws(StoreError) -> Bool? {
        // Another gateway over the same database, which has not made the key, may have noted it by now.
        if !isNew {
            guard try await store.document(at: Self.path(of: key)) == nil else { return nil }
            // A gateway of an older version has not noted its key, which may be this one.
            guard try await isFirstNoted() else { return false }
        }
        return try await subscriptions.isAnyRegistered(for: service)
    }

    /// Returns `true` if a key was noted that has replaced none.
    private func isFirstNoted() async throws(StoreError) -> Bool {
        var query = Query.collection(try CollectionPath(Self.collection))
            .where(FieldPath(Field.hasReplaced), .equal, .boolean(false)).limited(to: 1)
        query.projection = []
        return try await !store.documents(matching: query).isEmpty
    }

    /// Notes the first use of a key, unless another gateway over the same database has found more.
    ///
    /// - Parameter hasReplaced: `true` if browsers have registered with another key.
    package func note(_ key: String, hasReplaced: Bool, at time: Timestamp) async throws(StoreError) {
        let fields: Fields = [Field.firstUsedAt: .timestamp(time), Field.hasReplaced: .boolean(hasReplaced)]
        let path = try Self.path(of: key)
        do throws(StoreError) {
            _ = try await store.commit([hasReplaced ? .set(path, fields) : .create(path, fields)])
        } catch {
            guard error.code == .alreadyExists else { throw error }
        }
    }

    /// Returns the time at which a key has replaced the one of registered browsers; `nil` if it has not.
    package func replacementTime(of key: String) async throws(StoreError) -> Timestamp? {
        guard let document = try await store.document(at: Self.path(of: key)),
            document[Field.hasReplaced] == Value.boolean(true)
        else { return nil }
        return document[Field.firstUsedAt]?.timestamp
    }

    private static func path(of key: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(key)
    }
}

extension BrowserSubscriptions {
    /// The number of registrations of a collection that are read to find one of a service. Their order is that of their
    /// digests, so that they are a random sample.
    private static let keySample = 1_000

    /// Returns `true` if a browser is registered.
    fileprivate func isAnyRegistered(for service: TransportName) async throws(StoreError) -> Bool {
        for collection in collections {
            var query = collection.ofBrowsers.limited(to: Self.keySample)
            query.projection = [FieldPath(RegistrationFields.transport)]
            let documents = try await store.documents(matching: query)
            if documents.contains(where: { $0[RegistrationFields.transport]?.string == service.rawValue }) {
                return true
            }
        }
        return false
    }
}
