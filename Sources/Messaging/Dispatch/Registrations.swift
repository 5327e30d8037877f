internal import DocumentStore

/// What a push service's answers change about registrations: only ever of those that still hold the token sent to.
///
/// A push service dates a token's death by its own clock. It is compared with the wall clock's time of the registration,
/// which the document holds, and not with the document's update time: commit times only ever increase, so once the
/// clock was ahead for a single commit they stay ahead until real time has caught up. The update time is the
/// precondition of each change, so that a phone that registers at this very moment is left as it says.
struct Registrations: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp

    /// Removes the registrations of tokens that were declared dead, those that are no younger than that; those of this
    /// gateway's own tokens with their subscriptions to topics.
    ///
    /// - Returns: how many documents were removed.
    func remove(
        _ dead: [(target: Target, death: TokenDeath)], _ fields: RegistrationFields
    ) async throws(StoreError) -> Int {
        var subscribers: [Document] = []
        var writes: [[Write]] = []
        for (document, (_, death)) in zip(try await registrations(of: dead.map(\.target), fields), dead) {
            guard let document, document.isNoYounger(than: death, fields, at: now()) else { continue }
            if document.path.collection.description == RegistrationDocuments.registrations {
                subscribers.append(document)
            } else {
                writes.append([.delete(document.path, precondition: .updateTime(document.updateTime))])
            }
        }
        let removed = try await store.commit(groups: writes)
        return removed + (try await StoredRegistrations(store: store).remove(subscribers))
    }

    /// Notes the environments in which tokens turned out to be known, where the app has named none, and that the tokens
    /// were alive at this time.
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

    /// Each target's registration; nil where it is gone, or has another token by now.
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
    /// The furthest into the future a registration's time may be before it counts as that of a wrong clock.
    private static let clockTolerance = Duration.seconds(60)

    /// Returns whether the registration was made before the token's death. One dated into the future was made while
    /// the clock was ahead, so its time says nothing, and the push service's word counts.
    fileprivate func isNoYounger(than death: TokenDeath, _ fields: RegistrationFields, at now: Timestamp) -> Bool {
        guard case .certain(let since?) = death else { return true }
        let registeredAt = fields.registeredAt.flatMap { self[$0]?.timestamp } ?? updateTime
        return registeredAt <= since || registeredAt > now.adding(Self.clockTolerance)
    }
}
