public import DocumentStore

/// Whom registration tokens belong to.
public struct RegistrationDirectory: Sendable {
    /// How registrations call what a delivery may change.
    public static let registrationFields = RegistrationDocuments.fields

    let store: any DocumentStore
    private let key: RegistrationTokenKey
    private let foreignTokens: ForeignTokens
    private let now: @Sendable () -> Timestamp

    /// What becomes of tokens that were made elsewhere.
    public enum ForeignTokens: Sendable {
        /// Any text is taken for a token: nothing leaves this gateway.
        case taken
        /// Those of FCM's form are handed on.
        case relayed
        case refused
    }

    /// - Parameters:
    ///   - key: what tells tokens of this gateway from others; the same for as long as its tokens are to be known.
    ///   - now: the time that registrations note.
    public init(
        store: any DocumentStore, key: RegistrationTokenKey, foreignTokens: ForeignTokens,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.key = key
        self.foreignTokens = foreignTokens
        self.now = now
    }

    // MARK: Looking up

    /// The registrations of tokens, in their order.
    ///
    /// A token that was not made here and may be sent to has a registration too, which is stored when it is needed.
    public func registrations(
        of tokens: [RegistrationToken]
    ) async throws(StoreError) -> [Result<Registration, UnknownToken>] {
        let known = tokens.map { token in
            let ours = key.fid(of: token)
            return (token, isOurs: ours != nil, fid: ours ?? key.fid(ofDevice: token.value, app: ""))
        }
        var paths: [DocumentPath] = []
        for one in known { paths.append(try RegistrationDocuments.registration(one.fid)) }
        let documents = paths.isEmpty ? [] : try await store.documents(at: paths)
        return zip(known, documents).map { one, document in
            if let registration = document.flatMap(Registration.init), registration.token == one.0 {
                return .success(registration)
            }
            return one.isOurs ? .failure(.unregistered) : foreign(one.0, fid: one.fid)
        }
    }

    /// The registration of a token; see ``registrations(of:)``.
    public func registration(of token: RegistrationToken) async throws(StoreError) -> Result<Registration, UnknownToken>
    {
        try await registrations(of: [token]).first ?? .failure(.unregistered)
    }

    /// The registration of an installation, nil when there is none.
    public func registration(ofInstallation fid: String) async throws(StoreError) -> Registration? {
        guard let path = try? RegistrationDocuments.registration(fid) else { return nil }
        return try await store.document(at: path).flatMap(Registration.init)
    }

    private func foreign(_ token: RegistrationToken, fid: String) -> Result<Registration, UnknownToken> {
        let address = Address(token: token.value)
        if address.lane.transport == .fcm, foreignTokens != .taken {
            guard token.hasFormOfFCM else { return .failure(.malformed) }
            guard foreignTokens == .relayed else { return .failure(.ofAnotherSender) }
        }
        return .success(Registration(fid: fid, token: token, address: address, createdAt: now()))
    }

    // MARK: Making

    /// How often an import is tried while others import the same.
    private static let maximumAttempts = 3

    /// Makes registration tokens for APNs tokens of an app, or gives the ones they have. That somebody imports a token is a
    /// sign that it lives: an older word of its death costs no registration any more.
    ///
    /// - Returns: nil in the place of what is no APNs token.
    public func importTokens(
        _ apnsTokens: [String], bundleID: String, environment: APNsEnvironment
    ) async throws(StoreError) -> [RegistrationToken?] {
        let lane = Lane(transport: .apns, topic: bundleID, environment: environment)
        let devices = apnsTokens.map { device($0, in: lane) }
        var attempt = 1
        while true {
            let (registrations, writes) = try await imports(devices.compactMap(\.self))
            do {
                if !writes.isEmpty { _ = try await store.commit(writes) }
                return devices.map { device in device.flatMap { registrations[$0.fid]?.token } }
            } catch {
                // Somebody has made or removed one of them at the same moment; what is there now counts.
                guard error.code.isOfPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    /// The installation of an app on a device; nil when the token is none of APNs'.
    private func device(_ token: String, in lane: Lane) -> (fid: String, address: Address)? {
        guard Address(token: token).lane.transport == .apns else { return nil }
        let app = "\(lane.topic ?? "")\0\(lane.environment?.rawValue ?? "")"
        return (
            key.fid(ofDevice: token.lowercased(), app: app), Address(token: RegistrationToken(token), lane: lane)
        )
    }

    /// The registrations of devices, by their installation ids, and what is to be written for them.
    private func imports(
        _ devices: [(fid: String, address: Address)]
    ) async throws(StoreError) -> (registrations: [String: Registration], writes: [Write]) {
        var paths: [DocumentPath] = []
        for device in devices { paths.append(try RegistrationDocuments.registration(device.fid)) }
        let outcomes = paths.isEmpty ? [] : try await store.outcomes(at: paths)
        var registrations: [String: Registration] = [:]
        var writes: [Write] = []
        for ((fid, address), (path, outcome)) in zip(devices, zip(paths, outcomes)) where registrations[fid] == nil {
            let known = (try? outcome.get()).flatMap(Registration.init)
            let registration =
                known ?? Registration(fid: fid, token: key.token(for: fid), address: address, createdAt: now())
            registrations[fid] = registration
            writes.append(write(registration, at: path, over: outcome))
        }
        return (registrations, writes)
    }

    /// - Parameter outcome: of reading what is there now. A document that cannot be read, or was written by somebody else, is
    ///   replaced.
    private func write(
        _ registration: Registration, at path: DocumentPath, over outcome: Result<Document?, StoreError>
    ) -> Write {
        guard case .success(let document) = outcome else { return .set(path, registration.documentFields) }
        guard let document else { return .create(path, registration.documentFields) }
        if registration.isStored {
            return .update(path, [RegistrationDocuments.Field.registeredAt: .timestamp(now())])
        }
        return .set(path, registration.documentFields, precondition: .updateTime(document.updateTime))
    }
}

extension StoreError.Code {
    /// Whether a document was not there, or was, or had been changed.
    fileprivate var isOfPrecondition: Bool {
        self == .alreadyExists || self == .notFound || self == .failedPrecondition
    }
}

extension RegistrationToken {
    /// An installation id, a colon, and what only FCM can read, in base64url.
    fileprivate var hasFormOfFCM: Bool {
        let parts = value.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let isBase64URL = parts.allSatisfy { $0.allSatisfy(\.isBase64URL) }
        return parts.count == 2 && parts[0].count >= 11 && (100...4_096).contains(parts[1].count) && isBase64URL
    }
}
