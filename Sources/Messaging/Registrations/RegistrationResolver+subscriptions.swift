package import DocumentStore

/// The registration tokens of browsers' subscriptions, by which clients of FCM send to them.
extension RegistrationResolver {
    /// Returns the registration token of a subscription. One that is registered again, or replaces another one, keeps
    /// its token with its topics. That shows that it is valid: an older report of its end no longer removes the
    /// registration.
    ///
    /// - Parameters:
    ///   - subscriptions: The subscriptions of the same store.
    ///   - admit: Called once if the registration is new; throws to refuse it.
    /// - Returns: The token, and the time at which the former subscription was removed, if it was.
    package func token(
        of subscription: RegisteredSubscription, among subscriptions: BrowserSubscriptions, admit: () throws -> Void
    ) async throws -> (token: RegistrationToken, formerRemovedAt: Timestamp?) {
        var isAdmitted = false
        var attempt = 1
        while true {
            let (path, document) = try await place(of: subscription)
            let known = document.flatMap(Registration.init)
            if known == nil, !isAdmitted {
                try admit()
                isAdmitted = true
            }
            let time = now()
            let registration = Registration(
                fid: path.id, token: known?.token ?? newToken(for: path.id), address: subscription.address,
                createdAt: known?.createdAt ?? time)
            do throws(StoreError) {
                let isUnchanged = document.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)
                let write = Write.set(path, registration.fields(registeredAt: time), precondition: isUnchanged)
                let removedAt = try await subscriptions.commit([write], of: subscription, at: path)
                return (registration.token, removedAt)
            } catch {
                // Another client has registered or removed it at the same moment.
                guard error.code.isOfPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Returns the path of a subscription's registration, and the document that is there: its own, or that of the
    /// subscription that it replaces.
    private func place(
        of subscription: RegisteredSubscription
    ) async throws(StoreError) -> (path: DocumentPath, document: Document?) {
        for address in [subscription.address, subscription.former].compactMap(\.self) {
            if let known = try await stored(address) { return (known.path, known) }
        }
        let path = try RegistrationDocuments.registration(installation(of: subscription.address))
        let document = try await store.document(at: path)
        guard let registration = document.flatMap(Registration.init),
            registration.address.token != subscription.address.token
        else { return (path, document) }
        // The place belongs to the subscription that has replaced this one.
        return (try RegistrationDocuments.registration(newInstallation()), nil)
    }

    /// Returns the registration of an address that has a token of this gateway; `nil` if there is none.
    private func stored(_ address: PushAddress) async throws(StoreError) -> Document? {
        guard let digest = address.digest else { return nil }
        // A text of a subscription with topics has a registration too, which is not one with a token.
        let query = RegistrationCollection.registrations.query(digest).limited(to: 10)
        return try await store.documents(matching: query).first { document in
            document[RegistrationDocuments.Field.token]?.string
                .map { installation(of: RegistrationToken($0)) == document.path.id } ?? false
        }
    }

    /// Removes the registration of a subscription, with its topics.
    ///
    /// - Returns: `false` if the token is not one of a subscription, or has no registration any more.
    package func removeSubscription(of token: RegistrationToken) async throws(StoreError) -> Bool {
        guard let fid = installation(of: token) else { return false }
        let path = try RegistrationDocuments.registration(fid)
        while let document = try await store.document(at: path), let registration = Registration(document),
            registration.token == token, !registration.address.attributes.secrets.isEmpty
        {
            if try await RegistrationStore(store: store).remove([document]) == 1 { return true }
        }
        return false
    }
}
