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
        let known = tokens.map { token in (token, isOurs: key.fid(of: token) != nil, fid: fid(of: token)) }
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

    public func registration(of token: RegistrationToken) async throws(StoreError) -> Result<Registration, UnknownToken>
    {
        try await registrations(of: [token]).first ?? .failure(.unregistered)
    }

    /// The registration of an installation, nil when there is none.
    public func registration(ofInstallation fid: String) async throws(StoreError) -> Registration? {
        guard let path = try? RegistrationDocuments.registration(fid) else { return nil }
        return try await store.document(at: path).flatMap(Registration.init)
    }

    private func fid(of token: RegistrationToken) -> String {
        key.fid(of: token) ?? key.fid(ofDevice: token.value, app: "")
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

    /// Makes registration tokens for APNs tokens of an app, or gives the ones they have.
    ///
    /// - Returns: nil in the place of what is no APNs token.
    public func importTokens(
        _ apnsTokens: [String], bundleID: String, environment: APNsEnvironment
    ) async throws(StoreError) -> [RegistrationToken?] {
        let fids = apnsTokens.map { fid(ofAPNsToken: $0, bundleID: bundleID, environment: environment) }
        var registrations = try await self.registrations(ofInstallations: fids.compactMap(\.self))
        var writes: [Write] = []
        for (fid, token) in zip(fids, apnsTokens) {
            guard let fid, registrations[fid] == nil else { continue }
            let lane = Lane(transport: .apns, topic: bundleID, environment: environment)
            let registration = Registration(
                fid: fid, token: key.token(for: fid), address: Address(token: RegistrationToken(token), lane: lane),
                createdAt: now())
            registrations[fid] = registration
            writes.append(.create(try RegistrationDocuments.registration(fid), registration.documentFields))
        }
        do {
            if !writes.isEmpty { _ = try await store.commit(writes) }
        } catch {
            // Somebody has imported one of them at the same moment: theirs is the token.
            guard error.code == .alreadyExists else { throw error }
            return try await importTokens(apnsTokens, bundleID: bundleID, environment: environment)
        }
        return fids.map { fid in fid.flatMap { registrations[$0]?.token } }
    }

    private func fid(ofAPNsToken token: String, bundleID: String, environment: APNsEnvironment) -> String? {
        guard Address(token: token).lane.transport == .apns else { return nil }
        return key.fid(ofDevice: token.lowercased(), app: "\(bundleID)\0\(environment.rawValue)")
    }

    private func registrations(ofInstallations fids: [String]) async throws(StoreError) -> [String: Registration] {
        var paths: [DocumentPath] = []
        for fid in fids { paths.append(try RegistrationDocuments.registration(fid)) }
        var registrations: [String: Registration] = [:]
        guard !paths.isEmpty else { return registrations }
        for case let document? in try await store.documents(at: paths) {
            registrations[document.path.id] = Registration(document)
        }
        return registrations
    }
}

/// Why a token cannot be sent to.
public enum UnknownToken: Error, Hashable, Sendable {
    /// It was made here, and its registration is gone or has a newer one.
    case unregistered
    /// It looks like one of FCM's, of a project that is not reached from here.
    case ofAnotherSender
    /// It is no registration token.
    case malformed
}

extension RegistrationToken {
    /// An installation id, a colon, and what only FCM can read, in base64url.
    fileprivate var hasFormOfFCM: Bool {
        let parts = value.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let isBase64URL = parts.allSatisfy { $0.allSatisfy(\.isBase64URL) }
        return parts.count == 2 && parts[0].count >= 11 && (100...4_096).contains(parts[1].count) && isBase64URL
    }
}
