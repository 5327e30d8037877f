internal import DocumentStore

/// Removes registrations whose token a push service declared dead.
struct RegistrationPruning: Sendable {
    let store: any DocumentStore

    /// Removes the target's registration if it still holds that token, and is no younger than the token's death.
    ///
    /// The document's update time is when the app last registered. It is also the delete's precondition, so a phone that
    /// registers at this very moment is kept.
    ///
    /// - Returns: whether a document was removed.
    func remove(_ target: Target, tokenField: String, _ death: TokenDeath) async throws(StoreError) -> Bool {
        guard let path = target.registration else { return false }
        guard let document = try await store.document(at: path),
            document[tokenField]?.string == target.address.token.value,
            document.isNoYounger(than: death)
        else { return false }
        do {
            _ = try await store.commit([.delete(path, precondition: .updateTime(document.updateTime))])
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
