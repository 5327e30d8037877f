package import DocumentStore
import Texts

/// A lookup of registrations by their tokens, and the import of device tokens.
package struct RegistrationResolver: Sendable {
    /// The field names of registrations that a delivery may change.
    package static let registrationFields = RegistrationDocuments.fields

    let store: any DocumentStore
    private let key: RegistrationTokenKey
    private let foreignTokens: ForeignTokens
    /// The forms of tokens that were made elsewhere.
    package let forms: TokenForms
    let now: @Sendable () -> Timestamp

    /// The treatment of tokens that were made elsewhere.
    package enum ForeignTokens: Sendable {
        /// Any text that can be sent to counts as a token: no message leaves this gateway.
        case accept
        /// Tokens in FCM's form are passed on.
        case relayed
        /// Tokens in FCM's form are refused.
        case refused
    }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - key: tells tokens of this gateway from others. It must stay the same as long as its tokens are to be
    ///     recognized.
    ///   - forms: the forms of tokens that were made elsewhere.
    ///   - now: the time to record in registrations.
    package init(
        store: any DocumentStore, key: RegistrationTokenKey, foreignTokens: ForeignTokens,
        forms: TokenForms = .standard, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.key = key
        self.foreignTokens = foreignTokens
        self.forms = forms
        self.now = now
    }

    // MARK: Lookup

    /// Returns the registrations of tokens, in the tokens' order.
    ///
    /// A token that was not made here and may be sent to also has a registration. It is stored only if it is needed.
    package func registrations(
        of tokens: [RegistrationToken]
    ) async throws(StoreError) -> [Result<Registration, UnknownToken>] {
        let known = tokens.map { token in
            let ours = key.fid(of: token)
            return (token, isOurs: ours != nil, fid: ours ?? key.fid(ofDevice: token.canonical.value, app: ""))
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

    /// Returns the registration of a token; see ``registrations(of:)``.
    package func registration(of token: RegistrationToken) async throws(StoreError) -> Result<
        Registration, UnknownToken
    > {
        try await registrations(of: [token]).first ?? .failure(.unregistered)
    }

    /// Returns the registration of an installation; `nil` if there is none.
    package func registration(ofInstallation fid: String) async throws(StoreError) -> Registration? {
        guard let path = try? RegistrationDocuments.registration(fid) else { return nil }
        return try await store.document(at: path).flatMap(Registration.init)
    }

    private func foreign(_ token: RegistrationToken, fid: String) -> Result<Registration, UnknownToken> {
        guard forms.problem(with: token.value) == nil else { return .failure(.malformed) }
        let address = forms.address(of: token.value)
        if address.transport == forms.otherwise, foreignTokens != .accept {
            guard token.hasFormOfFCM else { return .failure(.malformed) }
            guard foreignTokens == .relayed else { return .failure(.senderMismatch) }
        }
        return .success(Registration(fid: fid, token: token.canonical, address: address, createdAt: now()))
    }

    // MARK: Import

    /// The maximum number of attempts at an import while others import the same tokens.
    static let maximumAttempts = 3

    /// Creates registration tokens for an app's tokens of a push service, or returns the existing ones. An import shows
    /// that a token is valid: an older report of its invalidation no longer removes the registration.
    ///
    /// - Returns: one token for each token of the service, in their order; `nil` for a text that is not one.
    package func importTokens(
        _ tokens: [String], of service: TransportName, for app: AppIdentity
    ) async throws(StoreError) -> [RegistrationToken?] {
        let devices = tokens.map { device($0, of: service, app) }
        var attempt = 1
        while true {
            let (registrations, writes) = try await imports(devices.compactMap(\.self))
            do {
                if !writes.isEmpty { _ = try await store.commit(writes) }
                return devices.map { device in device.flatMap { registrations[$0.fid]?.token } }
            } catch {
                // Another client created or removed one of them at the same moment. Start again from the new state.
                guard error.code.isOfPrecondition, attempt < Self.maximumAttempts else { throw error }
                attempt += 1
            }
        }
    }

    /// Returns the installation of an app on a device; `nil` if the token is not one of the service.
    private func device(
        _ token: String, of service: TransportName, _ app: AppIdentity
    ) -> (fid: String, address: PushAddress)? {
        let address = forms.address(of: token, app: app)
        guard address.transport == service else { return nil }
        return (installation(of: address.token, for: app), address)
    }

    private func installation(of token: RegistrationToken, for app: AppIdentity) -> String {
        key.fid(ofDevice: token.value, app: "\(app.bundleID ?? "")\0\(app.environment ?? "")")
    }

    /// Returns the installation of an address whose service names the app.
    func installation(of address: PushAddress) -> String { installation(of: address.token, for: address.app) }

    /// Returns the id of an installation that is known by nothing else.
    func newInstallation() -> String { key.fid(ofDevice: DocumentPath.randomID(), app: "") }

    /// Returns the installation of a token that was made here; `nil` for any other token.
    func installation(of token: RegistrationToken) -> String? { key.fid(of: token) }

    /// Returns a new registration token for an installation.
    func newToken(for fid: String) -> RegistrationToken { key.token(for: fid) }

    /// Returns the registrations of devices by their installation ids, and the writes for them.
    private func imports(
        _ devices: [(fid: String, address: PushAddress)]
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

    /// Returns the write for a registration.
    ///
    /// - Parameter outcome: the result of reading the current document. A document that cannot be read, or has
    ///   another form, is replaced.
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
    /// `true` if a document was missing, existed, or had been changed.
    var isOfPrecondition: Bool {
        self == .alreadyExists || self == .notFound || self == .failedPrecondition
    }
}

extension RegistrationToken {
    /// `true` if the token is an installation id, a colon, and a part in base64url that only FCM can read.
    fileprivate var hasFormOfFCM: Bool {
        let parts = value.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let isBase64URL = parts.allSatisfy { $0.allSatisfy(\.isBase64URL) }
        return parts.count == 2 && parts[0].count >= 11 && (100...4_096).contains(parts[1].count) && isBase64URL
    }
}

/// A reason why a token cannot be sent to.
package enum UnknownToken: Error, Hashable, Sendable {
    /// The token was made here, and its registration is gone or has a newer token.
    case unregistered
    /// The token has FCM's form, but belongs to a project that this gateway does not reach.
    case senderMismatch
    /// The text is not a registration token.
    case malformed
}
