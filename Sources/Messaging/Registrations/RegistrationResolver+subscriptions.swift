package import DocumentStore

/// The registration tokens of browsers' subscriptions, by which clients of FCM send to them.
extension RegistrationResolver {
    /// Returns the registration token of a subscription. One that is registered again, or replaces another one, keeps
    /// its token with its topics. That shows that it is valid: an older report of its end no longer removes the
    /// registration.
    ///
    /// - Parameters:
    ///   - subscriptions: The subscriptions of the same store.
    ///   - owner: The owner that the token ends with; `nil` for none. It replaces the owner of an earlier registration,
    ///     and the registration that the new owner has had.
    ///   - admit: Called once if the registration is new; throws to refuse it.
    /// - Returns: The token, and the time at which the former subscription was removed, if it was.
    /// - Throws: ``RegistrationOwner/Ended`` if the owner has ended.
    package func token(
        of subscription: RegisteredSubscription, among subscriptions: BrowserSubscriptions,
        ownedBy owner: RegistrationOwner? = nil, admit: () throws -> Void
    ) async throws -> (token: RegistrationToken, formerRemovedAt: Timestamp?) {
        var isAdmitted = false
        var attempt = 1
        while true {
            let (path, document) = try await place(of: subscription, ownedBy: owner)
            let known = document.flatMap(Registration.init)
            if known == nil, !isAdmitted {
                try admit()
                isAdmitted = true
            }
            let ownerDocument = try await owner?.endRegistration(except: path.id, in: store)
            let time = now()
            let registration = Registration(
                fid: path.id, token: known?.token ?? newToken(for: path.id), address: subscription.address,
                createdAt: known?.createdAt ?? time)
            do throws(StoreError) {
                let isUnchanged = document.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)
                var fields = registration.fields(registeredAt: time)
                fields[RegistrationDocuments.Field.owner] = owner.map { Value.string($0.name) }
                var writes = [Write.set(path, fields, precondition: isUnchanged)]
                if let owner, let ownerDocument { writes += owner.writes(noting: path.id, in: ownerDocument) }
                let removedAt = try await subscriptions.commit(writes, of: subscription, at: path)
                return (registration.token, removedAt)
            } catch {
                // Another client has registered or removed it at the same moment, or the owner was used.
                guard error.code.isOfPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Returns the path of a subscription's registration, and the document that is there: its own, or that of the
    /// subscription that it replaces.
    ///
    /// A registration at the same endpoint with other keys gets the new ones, unless the caller is an owner and it is
    /// not the owner's: the endpoint alone does not show that this is its browser.
    private func place(
        of subscription: RegisteredSubscription, ownedBy owner: RegistrationOwner?
    ) async throws(StoreError) -> (path: DocumentPath, document: Document?) {
        for address in [subscription.address, subscription.former].compactMap(\.self) {
            if let known = try await stored(address) { return (known.path, known) }
        }
        let path = try RegistrationDocuments.registration(installation(of: subscription.address))
        guard let document = try await store.document(at: path) else { return (path, nil) }
        guard let registration = Registration(document),
            registration.address.token != subscription.address.token || !(owner?.owns(document) ?? true)
        else { return (path, document) }
        // The place belongs to the subscription that has replaced this one, or to one with other keys.
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
    /// - Parameter owner: The owner that the registration must have; `nil` for any.
    /// - Returns: `false` if the token is not one of a subscription, has no registration any more, or another owner.
    /// - Throws: ``RegistrationOwner/Ended`` if the owner has ended.
    package func removeSubscription(
        of token: RegistrationToken, ownedBy owner: RegistrationOwner? = nil
    ) async throws -> Bool {
        guard let fid = installation(of: token) else { return false }
        let path = try RegistrationDocuments.registration(fid)
        while let document = try await store.document(at: path), let registration = Registration(document),
            registration.token == token, !registration.address.attributes.secrets.isEmpty,
            owner?.owns(document) ?? true
        {
            if try await remove(document, alongside: owner?.use ?? []) { return true }
        }
        return false
    }

    /// Removes a registration with its topics, in one commit with the use of its owner.
    ///
    /// - Returns: `false` if the registration has changed since it was read.
    private func remove(_ registration: Document, alongside use: [Write]) async throws -> Bool {
        guard let removal = try await RegistrationStore(store: store).removal(of: registration) else { return false }
        do throws(StoreError) {
            // The first write that fails is the error: an owner that has ended has taken the registration along.
            _ = try await store.commit(use + removal)
            return true
        } catch {
            switch error.code {
            case .failedPrecondition: return false
            case .notFound: throw RegistrationOwner.Ended()
            default: throw error
            }
        }
    }
}
