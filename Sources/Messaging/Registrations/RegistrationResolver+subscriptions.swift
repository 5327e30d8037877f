package import DocumentStore

/// The registration tokens of browsers' subscriptions, by which clients of FCM send to them.
extension RegistrationResolver {
    /// Returns the registration token of a subscription. A subscription that is registered again keeps its token. That
    /// shows that it is valid: an older report of its end no longer removes the registration.
    ///
    /// - Parameter admit: Called once if the registration is new; throws to refuse it.
    package func token(
        of subscription: RegisteredSubscription, admit: () throws -> Void
    ) async throws -> RegistrationToken {
        let address = subscription.address
        let fid = installation(of: address)
        let path = try RegistrationDocuments.registration(fid)
        var isAdmitted = false
        var attempt = 1
        while true {
            let document = try await store.document(at: path)
            let known = document.flatMap(Registration.init)
            if known == nil, !isAdmitted {
                try admit()
                isAdmitted = true
            }
            let time = now()
            let registration = Registration(
                fid: fid, token: known?.token ?? newToken(for: fid), address: address,
                createdAt: known?.createdAt ?? time)
            do throws(StoreError) {
                let isUnchanged = document.map { Precondition.updateTime($0.updateTime) } ?? .exists(false)
                _ = try await store.commit([
                    .set(path, registration.fields(registeredAt: time), precondition: isUnchanged)
                ])
                return registration.token
            } catch {
                // Another client has registered or removed it at the same moment.
                guard error.code.isOfPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
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
