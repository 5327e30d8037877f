import DocumentStore

/// The changes that a push service's answers make to registrations, but only to those that still hold the token that
/// was sent to.
///
/// A push service dates the invalidation of a token by its own clock. It is compared with the wall clock's time of
/// the registration in the document, and not with the document's update time: commit times only increase, so after a
/// single commit with a clock that was ahead they stay ahead until real time has caught up. The update time is the
/// precondition of each change, so that a device that registers at this very moment keeps its registration.
struct RegistrationPruner: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp

    /// Removes the registrations of invalid tokens that are not newer than the invalidation. Registrations of this
    /// gateway's own tokens are removed with their subscriptions to topics.
    ///
    /// - Returns: the number of removed documents.
    func remove(
        _ dead: [(target: Target, invalidation: TokenInvalidation)], _ fields: RegistrationFields
    ) async throws(StoreError) -> Int {
        var subscribers: [Document] = []
        var writes: [[Write]] = []
        for (document, (_, invalidation)) in zip(try await registrations(of: dead.map(\.target), fields), dead) {
            guard let document, document.isNoYounger(than: invalidation, fields, at: now()) else { continue }
            if document.path.collection.description == RegistrationDocuments.registrations {
                subscribers.append(document)
            } else {
                writes.append([.delete(document.path, precondition: .updateTime(document.updateTime))])
            }
        }
        let removed = try await store.commit(groups: writes)
        return removed + (try await RegistrationStore(store: store).remove(subscribers))
    }

    /// Records the environments that know tokens whose apps have named none, and that the tokens were valid at this
    /// time.
    func remember(
        _ found: [(target: Target, environment: APNsEnvironment)], _ fields: RegistrationFields
    ) async throws(StoreError) {
        guard let field = fields.environment else { return }
        let time = now()
        var writes: [[Write]] = []
        for (document, (_, environment)) in zip(try await registrations(of: found.map(\.target), fields), found) {
            guard let document, document[field] == nil else { continue }
            var changes: Fields = [field: .string(environment.rawValue)]
            if let registeredAt = fields.registeredAt { changes[registeredAt] = .timestamp(time) }
            writes.append([.merge(document.path, changes, precondition: .updateTime(document.updateTime))])
        }
        try await store.commit(groups: writes)
    }

    /// Returns each target's registration; `nil` if it is gone or has another token now.
    private func registrations(
        of targets: [Target], _ fields: RegistrationFields
    ) async throws(StoreError) -> [Document?] {
        let paths = targets.compactMap(\.registration)
        guard !paths.isEmpty else { return targets.map { _ in nil } }
        var documents: [DocumentPath: Document] = [:]
        for case .success(let document?) in try await store.outcomes(at: paths) { documents[document.path] = document }
        return targets.map { target in
            guard let document = target.registration.flatMap({ documents[$0] }),
                let token = document[fields.token]?.string, RegistrationToken(token) == target.address.token
            else { return nil }
            return document
        }
    }
}

extension Document {
    /// The maximum difference into the future of a registration's time. Beyond it the clock was wrong.
    private static let clockTolerance = Duration.seconds(60)

    /// Returns `true` if the registration is older than the invalidation of the token. A registration dated into the
    /// future was made while the clock was ahead. Its time says nothing, and the push service's answer counts.
    fileprivate func isNoYounger(than invalidation: TokenInvalidation, _ fields: RegistrationFields, at now: Timestamp)
        -> Bool
    {
        guard case .unregistered(let since?) = invalidation else { return true }
        let registeredAt = fields.registeredAt.flatMap { self[$0]?.timestamp } ?? updateTime
        return registeredAt <= since || registeredAt > now.adding(Self.clockTolerance)
    }
}
