package import DocumentStore
package import JSON

/// The subscriptions of browsers, which clients register in place of tokens.
///
/// A subscription ends when the browser replaces it, or when its push service removes it. The app that registers the
/// next one then names the former one, or learns of its removal.
package struct BrowserSubscriptions: Sendable {
    private let forms: TokenForms
    private let refusal: @Sendable (PushAddress) -> SubscriptionRefusal?
    let store: any DocumentStore
    let collections: [RegistrationCollection]
    private let now: @Sendable () -> Timestamp

    /// The maximum number of registrations of one collection that are moved in one commit.
    private static let batch = 2_000
    /// The maximum number of attempts at a move while others change its registrations.
    private static let maximumAttempts = 5

    /// Takes subscriptions of the forms' services.
    ///
    /// - Parameters:
    ///   - refusal: Returns the reason why the gateway does not take an address; `nil` if it does.
    ///   - collections: The registrations of systems. Those of FCM's interface are known.
    ///   - now: The time to record in registrations.
    package init(
        forms: TokenForms, refusal: @escaping @Sendable (PushAddress) -> SubscriptionRefusal? = { _ in nil },
        store: any DocumentStore, collections: [RegistrationCollection], now: @escaping @Sendable () -> Timestamp
    ) {
        self.forms = forms
        self.refusal = refusal
        self.store = store
        self.collections = [RegistrationCollection.registrations] + collections
        self.now = now
    }

    /// Returns the indexes that the subscriptions of FCM's interface and of systems need in their store.
    package static func fieldIndexes(of collections: [RegistrationCollection]) -> [FieldIndex] {
        ([RegistrationCollection.registrations] + collections).map(\.index) + RemovedSubscriptions.fieldIndexes
    }

    // MARK: Reading

    /// Returns the registered form of a subscription that a client sends.
    package func subscription(_ json: JSONValue) throws(SubscriptionRefusal) -> RegisteredSubscription {
        let subscription = try read(json)
        if let refusal = refusal(subscription.address) { throw refusal }
        return subscription
    }

    /// Returns a subscription together with the one that it replaces.
    ///
    /// The client sends the whole former subscription. Its keys show that it is the browser, or was told by it: all
    /// registrations of the former one are moved, also those of other clients.
    package func subscription(
        _ subscription: RegisteredSubscription, replacing json: JSONValue
    ) throws(SubscriptionRefusal) -> RegisteredSubscription {
        let former = try read(json).address
        var subscription = subscription
        subscription.former = former == subscription.address ? nil : former
        return subscription
    }

    private func read(_ json: JSONValue) throws(SubscriptionRefusal) -> RegisteredSubscription {
        let text: RegistrationToken?
        do throws(SubscriptionError) {
            text = try forms.token(ofSubscription: json)
        } catch {
            throw .invalid(error)
        }
        guard let text else { throw .switchedOff("no push service of this gateway has subscriptions") }
        return RegisteredSubscription(text: text, address: forms.address(of: text.value))
    }

    // MARK: Storing

    /// Commits the writes that store a registration of a subscription. The same commit moves all registrations of the
    /// subscription that it replaces; if they are thousands, commits before it move most of them.
    ///
    /// - Parameter path: The registration, which is one of the writes.
    /// - Returns: The time at which a push service ended the registration's former subscription, or the one that is
    ///   replaced; `nil` if none did. It is returned once.
    package func commit(
        _ writes: [Write], of subscription: RegisteredSubscription, at path: DocumentPath
    ) async throws(StoreError) -> Timestamp? {
        let former = subscription.former?.digest
        let removal = try await RemovedSubscriptions(store: store).removal(at: path, orOf: former)
        let own = writes + removal.writes
        guard let former else {
            _ = try await store.commit(own)
            return removal.time
        }
        var attempt = 1
        while true {
            let (changes, isLast) = try await moves(of: former, to: subscription.address, except: path)
            do throws(StoreError) {
                _ = try await store.commit(isLast ? changes + own : changes)
                if isLast { return removal.time }
            } catch {
                // One of them has changed at the same moment.
                guard error.code == .failedPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Returns the writes that move registrations to another address, and `true` if there are no more of them.
    ///
    /// - Parameter path: The registration that the caller stores.
    private func moves(
        of digest: String, to address: PushAddress, except path: DocumentPath
    ) async throws(StoreError) -> (writes: [Write], isLast: Bool) {
        var writes: [Write] = []
        var isLast = true
        for collection in collections {
            let documents = try await store.documents(matching: collection.query(digest).limited(to: Self.batch))
            for document in documents where document.path != path {
                writes += try collection.writes(moving: document, to: address, at: now())
            }
            if documents.count == Self.batch { isLast = false }
        }
        return (writes, isLast)
    }
}

/// A subscription that a client registers.
package struct RegisteredSubscription: Hashable, Sendable {
    /// The text that stands for it where a token is expected.
    package let text: RegistrationToken
    /// The address that it leads to.
    package let address: PushAddress
    /// The address of the subscription that it replaces; `nil` for none.
    package fileprivate(set) var former: PushAddress?
}
