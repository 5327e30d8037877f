internal import DocumentStore

/// What a push service's answers change about registrations: only ever of those that still hold the token sent to.
///
/// The document's update time is when the app last registered. It is the precondition of each change, so that a phone that
/// registers at this very moment is left as it says.
struct Registrations: Sendable {
    let store: any DocumentStore

    /// Removes the registration of a token that was declared dead, if it is no younger than that.
    ///
    /// - Returns: whether a document was removed.
    func remove(
        _ target: Target, _ fields: RegistrationFields, _ death: TokenDeath
    ) async throws(StoreError) -> Bool {
        guard let document = try await registration(of: target, fields), document.isNoYounger(than: death) else {
            return false
        }
        return try await commit(.delete(document.path, precondition: .updateTime(document.updateTime)))
    }

    /// Notes the environment in which the token turned out to be known, where the app has named none.
    func remember(
        _ environment: APNsEnvironment, of target: Target, _ fields: RegistrationFields
    ) async throws(StoreError) {
        guard let field = fields.environment, let document = try await registration(of: target, fields),
            document[field] == nil
        else { return }
        let write = Write.merge(
            document.path, [field: .string(environment.rawValue)], precondition: .updateTime(document.updateTime))
        _ = try await commit(write)
    }

    private func registration(of target: Target, _ fields: RegistrationFields) async throws(StoreError) -> Document? {
        guard let path = target.registration, let document = try await store.document(at: path),
            document[fields.token]?.string == target.address.token.value
        else { return nil }
        return document
    }

    /// - Returns: false when the registration was changed meanwhile.
    private func commit(_ write: Write) async throws(StoreError) -> Bool {
        do {
            _ = try await store.commit([write])
            return true
        } catch {
            guard error.code == .failedPrecondition else { throw error }
            return false
        }
    }
}

extension Document {
    fileprivate func isNoYounger(than death: TokenDeath) -> Bool {
        guard case .certain(let since?) = death else { return true }
        return updateTime <= since
    }
}
