import DocumentStore
import Logging

/// The changes that the answers of push services make to registrations. A registration that holds another token by now
/// is not changed.
///
/// A push service dates the invalidation of a token by its own clock. The date is compared with the wall-clock time
/// that the registration's document records, or with its update time if it records none. Update times are the second
/// choice: they only increase, so a single commit with a clock that was ahead moves all later ones ahead too. The
/// update time is also the precondition of each change: a device that registers at the same moment keeps its
/// registration.
struct RegistrationPruner: Sendable {
    let store: any DocumentStore
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// Removes the registrations of invalid tokens, but those that were renewed after the time of the invalidation.
    /// Registrations with subscriptions to topics lose these too.
    ///
    /// - Returns: the number of removed registrations.
    func remove(
        _ dead: [(target: Target, invalidation: TokenInvalidation)], _ fields: RegistrationFields
    ) async throws(StoreError) -> Int {
        let time = now()
        var withTopics: [Document] = []
        var writes: [[Write]] = []
        for (document, (target, invalidation)) in zip(try await registrations(of: dead.map(\.target), fields), dead) {
            guard let document else { continue }
            let isCovered = document.isCovered(by: invalidation, fields, at: time)
            log(document, of: target, invalidation, fields, isCovered: isCovered)
            guard isCovered else { continue }
            if document.path.collection.description == RegistrationDocuments.registrations {
                withTopics.append(document)
            } else {
                let removal = Write.delete(document.path, precondition: .updateTime(document.updateTime))
                writes.append([removal] + (try RemovedSubscriptions.writes(removing: document, at: time)))
            }
        }
        let removed = try await store.commit(groups: writes)
        return removed + (try await RegistrationStore(store: store).remove(withTopics, notedAt: time))
    }

    /// Records the environments that were found for tokens whose registrations name none, and the present time as the
    /// last at which these tokens were valid.
    func remember(
        _ found: [(target: Target, app: AppIdentity)], _ fields: RegistrationFields
    ) async throws(StoreError) {
        let time = now()
        var writes: [[Write]] = []
        for (document, (_, app)) in zip(try await registrations(of: found.map(\.target), fields), found) {
            guard let document, let changes = fields.completion(of: document, with: app, at: time) else { continue }
            writes.append([.merge(document.path, changes, precondition: .updateTime(document.updateTime))])
        }
        try await store.commit(groups: writes)
    }

    private func log(
        _ registration: Document, of target: Target, _ invalidation: TokenInvalidation, _ fields: RegistrationFields,
        isCovered: Bool
    ) {
        // Not the path: an app may use its token as the installation id.
        let metadata: @Sendable () -> Logger.Metadata = {
            var metadata: Logger.Metadata = [
                "token": "\(target.address.token)", "registered_at": "\(registration.registrationTime(fields))",
            ]
            if case .unregistered(let since?) = invalidation { metadata["invalid_since"] = "\(since)" }
            return metadata
        }
        if isCovered {
            logger.debug("removing a registration; its token is no longer valid", metadata: metadata())
        } else {
            logger.info("kept a registration; it was renewed after its token was found invalid", metadata: metadata())
        }
    }

    /// Returns each target's registration; `nil` if it is gone or has another token now, or other secrets beside it: an
    /// answer to a secret that the device has replaced says nothing about the present one.
    private func registrations(
        of targets: [Target], _ fields: RegistrationFields
    ) async throws(StoreError) -> [Document?] {
        let paths = targets.compactMap(\.registration)
        guard !paths.isEmpty else { return targets.map { _ in nil } }
        var documents: [DocumentPath: Document] = [:]
        for case .success(let document?) in try await store.outcomes(at: paths) { documents[document.path] = document }
        return targets.map { target in
            guard let document = target.registration.flatMap({ documents[$0] }),
                let token = document[fields.token]?.string, RegistrationToken(token) == target.address.token,
                document.hasSecrets(of: target.address)
            else { return nil }
            return document
        }
    }
}

extension Document {
    /// Returns the last time at which the registration's token was known to be valid, as ``RegistrationFields`` say.
    fileprivate func registrationTime(_ fields: RegistrationFields) -> Timestamp {
        fields.registeredAt.flatMap { self[$0]?.timestamp } ?? updateTime
    }

    /// Returns `false` if the registration and an address both have secrets, and not the same.
    fileprivate func hasSecrets(of address: PushAddress) -> Bool {
        guard let own = self[RegistrationFields.digest]?.string, let digest = address.digest else { return true }
        return own == digest
    }

    /// The maximum difference into the future of a registration's time. Beyond it the clock was wrong.
    private static let clockTolerance = Duration.seconds(60)

    /// Returns `true` if the token was invalidated at the registration's time or later, or at an unknown time. A
    /// registration dated into the future was made while the clock was ahead; its time is ignored.
    fileprivate func isCovered(by invalidation: TokenInvalidation, _ fields: RegistrationFields, at now: Timestamp)
        -> Bool
    {
        guard case .unregistered(let since?) = invalidation else { return true }
        let registeredAt = registrationTime(fields)
        return registeredAt <= since || registeredAt > now.adding(Self.clockTolerance)
    }
}
