public import Foundation

/// The installation of an app at its author's relay: its keys, its address, and the send secrets of the gateways that
/// may send to it.
///
/// Give it to ``PushSubscriptions``, which then registers the address with each gateway in place of the device's token.
/// Create one for the app's lifetime. `docs/client.md` has an app's code.
public actor RelayClient: CustomReflectable {
    /// The knowledge of an installation about its address.
    public enum Standing: String, Hashable, Sendable {
        /// The relay has confirmed the address since the app was started.
        case registered
        /// The relay has given no address, or has ended it, or has refused to register the installation.
        case notRegistered
        /// The relay has not answered yet.
        case unknown
    }

    private let relay: GatewayURL
    private let storage: any RelayStorage
    private let cryptography: any RelayCryptography
    private let admission: (any RelayAdmission)?
    private let neutralText: RelayNeutralText?
    private let http: any HTTPSending
    private let now: @Sendable () -> Date
    private let logger: PushLogger
    private let queue = CallerQueue<GatewayURL>()
    private var state: RelayState?
    /// `true` if the storage has the keys.
    private var isStored = false
    /// The number of seconds by which the relay's clock is ahead of this device's.
    private var clockCorrection: Int64 = 0
    private var pausedUntil: Date?
    /// `true` if the last proof was an assertion, which is good only where the key's attestation is known.
    private var hasAsserted = false

    /// The last answer of the relay about the address.
    public private(set) var standing = Standing.unknown

    /// Creates a client with the stored keys, which are read at the first call, and made if there are none.
    ///
    /// - Parameters:
    ///   - relay: The base URL of the author's relay.
    ///   - storage: The storage of the keys and secrets.
    ///   - cryptography: The system's cryptography.
    ///   - admission: The proof that the app is the author's, if the relay asks for one.
    ///   - neutralText: The text of notifications that the app cannot open; `nil` for the relay's own.
    ///   - http: The sender of requests.
    ///   - now: The clock.
    ///   - logger: A logger for changes and failures.
    public init(
        relay: GatewayURL, storage: any RelayStorage, cryptography: any RelayCryptography,
        admission: (any RelayAdmission)? = nil, neutralText: RelayNeutralText? = nil,
        http: any HTTPSending = URLSessionSender(), now: @escaping @Sendable () -> Date = { Date() },
        logger: PushLogger = .none
    ) {
        self.relay = relay
        self.storage = storage
        self.cryptography = cryptography
        self.admission = admission
        self.neutralText = neutralText
        self.http = http
        self.now = now
        self.logger = logger
    }

    /// An empty mirror, because the actor contains keys and secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

    /// The installation's address, `relay:HOST/ID`; `nil` if it has none.
    ///
    /// - Throws: ``RelayError/storageFailed(reason:)`` if the storage cannot be read.
    public func address() throws(RelayError) -> String? { try loaded().address }

    // MARK: The address

    /// Asks the relay about the address. Send secrets that it does not have are forgotten.
    ///
    /// ``PushSubscriptions`` calls it; an app without them does so at every launch, before it registers.
    ///
    /// - Returns: ``Standing/registered``, or ``Standing/notRegistered`` if the gateways' registrations are void: the
    ///   relay has ended the address, or does not know it.
    /// - Throws: ``RelayError`` if the relay has not answered.
    public func check() async throws(RelayError) -> Standing {
        try await begin()
        do throws(RelayError) {
            let standing = try await checkNow()
            note(standing)
            await sendRevocations()
            await end()
            return standing
        } catch {
            await end()
            if error.isRefusal { note(.notRegistered) }
            throw error
        }
    }

    private func checkNow() async throws(RelayError) -> Standing {
        guard let id = try loaded().addressID else { return .notRegistered }
        let answer: RelayAnswer.Address
        do throws(RelayError) {
            answer = try await decoded(send(RelayCall("GET", "\(RelayCall.addresses)/\(id)")))
        } catch {
            guard error == .unknownAddress else { throw error }
            logger.log(.warning, "dropped the address, which the relay does not know")
            try change { $0.forgetAddress() }
            return .notRegistered
        }
        // A relay's older answer has no list.
        if let secrets = answer.secrets { try change { $0.reconcile(withListed: Set(secrets.map(\.id))) } }
        guard answer.state == "registered" else {
            logger.log(.warning, "learned from the relay that the address had ended")
            return .notRegistered
        }
        return .registered
    }

    /// Gives the relay the device's token, and takes the address. The same installation has the same address again.
    ///
    /// - Throws: ``RelayError`` if the relay has given no address.
    public func register(_ target: RelayTarget) async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            try await registerNow(target)
        } catch {
            await end()
            if error.isRefusal { note(.notRegistered) }
            if error == .notAdmitted { await admission?.wasRefused() }
            throw error
        }
        await end()
        await admission?.wasAccepted()
    }

    private func registerNow(_ target: RelayTarget) async throws(RelayError) {
        // New keys are on the disk before the relay knows them.
        try change { _ in }
        let answer: RelayAnswer.Registration = try await decoded(sendRegistration(of: target))
        guard RelayState.id(of: answer.address) != nil else { throw .unexpectedAnswer(status: 200) }
        try change { $0.take(address: answer.address) }
        note(.registered)
        logger.log(.info, "registered with the relay")
    }

    /// Sends a registration. A relay that was restored from a backup may not have the attestation of the key that the
    /// proof is by: after the refusal of an assertion the admission makes another proof, once.
    private func sendRegistration(of target: RelayTarget) async throws(RelayError) -> Data {
        do throws(RelayError) {
            return try await sendProvenRegistration(of: target)
        } catch {
            guard error == .notAdmitted, hasAsserted else { throw error }
            logger.log(.info, "making a new proof, because the relay has refused the last one")
            await admission?.wasRefused()
            return try await sendProvenRegistration(of: target)
        }
    }

    /// Sends a registration. Its proof is about the time of the call, so a call with another time has another one.
    private func sendProvenRegistration(of target: RelayTarget) async throws(RelayError) -> Data {
        try checkPause()
        var time = relaySeconds
        var response = try await answer(to: registration(of: target, at: time), at: time)
        if correctsClock(response) {
            time = relaySeconds
            response = try await answer(to: registration(of: target, at: time), at: time)
        }
        return try body(of: response)
    }

    private func registration(of target: RelayTarget, at time: Int64) async throws(RelayError) -> RelayCall {
        let body = try encoded(
            RelayRegistrationBody(target: target, proof: try await proof(at: time), text: neutralText))
        return RelayCall("POST", RelayCall.addresses, body: body)
    }

    private func proof(at time: Int64) async throws(RelayError) -> RelayAdmissionProof? {
        guard let admission else { return nil }
        do {
            let key = try cryptography.publicKey(of: loaded().keys.signing)
            let text = "pushgate-relay-attest-v1\n\(Base64URLText.encode(key))\n\(time)"
            let proof = try await admission.proof(for: Data(text.utf8))
            if case .assertion = proof { hasAsserted = true } else { hasAsserted = false }
            return proof
        } catch let error as RelayError {
            throw error
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Closes the address: no gateway can send to it, until the installation registers again. For a user who switches
    /// all notifications off.
    ///
    /// - Throws: ``RelayError`` if the relay has not confirmed it.
    public func close() async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            if let id = try loaded().addressID {
                try await endNow("\(RelayCall.addresses)/\(id)")
                try change { $0.forgetAddress() }
            }
            note(.notRegistered)
        } catch {
            await end()
            throw error
        }
        await end()
    }

    // MARK: Gateways

    /// Returns the stored way from a gateway to this installation; `nil` if there is no address, or no send secret for
    /// the gateway.
    func storedRoute(from gateway: GatewayURL) throws(RelayError) -> RelayRoute? {
        let state = try loaded()
        guard let address = state.address, let access = state.gateways[gateway.text] else { return nil }
        do {
            let key = try cryptography.publicKey(of: state.keys.sealing)
            return RelayRoute(
                address: address, sendSecret: access.sendSecret, publicKey: Array(key),
                authentication: state.keys.authentication, collapseKey: access.collapseKey)
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Returns the way from a gateway to this installation, with a send secret of the gateway's own. Register first.
    ///
    /// - Throws: ``RelayError`` if the relay has given no address, or no send secret.
    public func route(from gateway: GatewayURL) async throws(RelayError) -> RelayRoute {
        if let route = try storedRoute(from: gateway) { return route }
        try await begin()
        do throws(RelayError) {
            try await makeAccess(for: gateway)
        } catch {
            await end()
            if error == .unknownAddress { note(.notRegistered) }
            throw error
        }
        await end()
        guard let route = try storedRoute(from: gateway) else { throw .unknownAddress }
        return route
    }

    private func makeAccess(for gateway: GatewayURL) async throws(RelayError) {
        // Another caller may have made it meanwhile.
        guard try storedRoute(from: gateway) == nil else { return }
        guard let id = try loaded().addressID else { throw .unknownAddress }
        let call = RelayCall("POST", "\(RelayCall.addresses)/\(id)/secrets", body: Data("{}".utf8))
        let answer: RelayAnswer.NewSecret = try await decoded(send(call))
        guard Base64URLText.isEncoded(answer.id), !answer.id.isEmpty else { throw .unexpectedAnswer(status: 200) }
        try change {
            $0.gateways[gateway.text] = RelayState.Access(
                id: answer.id, sendSecret: answer.sendSecret, collapseKey: .random(32))
        }
        logger.log(.info, "made a send secret for a gateway", ["gateway": gateway.text])
    }

    /// Takes a gateway's send secret away. A revocation that cannot be sent now is sent when the address is checked.
    ///
    /// - Throws: ``RelayError/storageFailed(reason:)`` if the storage cannot be read or written.
    public func revoke(_ gateway: GatewayURL) async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            try change { $0.revoke(gateway.text) }
        } catch {
            await end()
            throw error
        }
        await sendRevocations()
        await end()
    }

    private func sendRevocations() async {
        do throws(RelayError) {
            guard let address = try loaded().addressID else { return }
            for id in try loaded().revocations where Base64URLText.isEncoded(id) {
                try await endNow("\(RelayCall.addresses)/\(address)/secrets/\(id)")
                try change { _ = $0.revocations.remove(id) }
                logger.log(.info, "revoked a send secret")
            }
        } catch {
            logger.log(.warning, "failed to revoke a send secret", ["error": error.description])
        }
    }

    private func endNow(_ path: String) async throws(RelayError) {
        do throws(RelayError) {
            _ = try await send(RelayCall("DELETE", path))
        } catch {
            // It has ended already.
            guard error == .unknownAddress else { throw error }
        }
    }

    // MARK: Calls

    /// Waits for the calls before this one: a former token never replaces a newer one.
    private func begin() async throws(RelayError) {
        guard await queue.take(relay) else { throw .cancelled }
    }

    private func end() async { await queue.giveBack(relay) }

    private func send(_ call: RelayCall) async throws(RelayError) -> Data {
        try checkPause()
        var response = try await answer(to: call, at: relaySeconds)
        if correctsClock(response) { response = try await answer(to: call, at: relaySeconds) }
        return try body(of: response)
    }

    /// Throws the relay's last error while the pause that it has asked for lasts.
    private func checkPause() throws(RelayError) {
        guard let pausedUntil, pausedUntil > now() else { return }
        throw .later(retryAfter: .seconds(pausedUntil.timeIntervalSince(now()).rounded(.up)))
    }

    /// Corrects the clock if the relay has refused the time of a call.
    ///
    /// - Returns: `true` if it has, so that the call is worth another attempt.
    private func correctsClock(_ response: GatewayResponse) -> Bool {
        guard let time = Self.relayTime(in: response) else { return false }
        clockCorrection = time - seconds
        logger.log(.info, "corrected the clock by the relay's", ["seconds": "\(clockCorrection)"])
        return true
    }

    private func body(of response: GatewayResponse) throws(RelayError) -> Data {
        guard let error = RelayError(response, now: now()) else { return response.body }
        pausedUntil = error.retryAfter.map { now().addingTimeInterval(TimeInterval($0.components.seconds)) }
        throw error
    }

    private func answer(to call: RelayCall, at time: Int64) async throws(RelayError) -> GatewayResponse {
        let request: GatewayRequest
        do {
            request = try call.signed(by: loaded().keys, cryptography, to: relay, at: time)
        } catch let error as RelayError {
            throw error
        } catch {
            throw deviceFailure(error)
        }
        do {
            return try await http.send(request)
        } catch {
            throw RelayError(sending: error)
        }
    }

    /// Returns the time in an answer that refuses the request's.
    private static func relayTime(in response: GatewayResponse) -> Int64? {
        guard response.status == 401,
            let failure = try? JSONDecoder().decode(RelayAnswer.Failure.self, from: response.body),
            failure.error == "clock"
        else { return nil }
        return failure.time
    }

    private var seconds: Int64 { Int64(now().timeIntervalSince1970) }

    /// The relay's time in seconds since 1970, as far as it is known.
    private var relaySeconds: Int64 { seconds + clockCorrection }

    private func decoded<Answer: Decodable>(_ body: Data) throws(RelayError) -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: body)
        } catch {
            throw .unexpectedAnswer(status: 200)
        }
    }

    private func encoded(_ body: some Encodable) throws(RelayError) -> Data {
        do {
            return try JSONEncoder().encode(body)
        } catch {
            throw deviceFailure(error)
        }
    }

    private func deviceFailure(_ error: any Error) -> RelayError {
        guard !(error is CancellationError) else { return .cancelled }
        let error = error as NSError
        return .deviceFailed(reason: "\(error.domain) \(error.code)")
    }

    private func note(_ standing: Standing) { self.standing = standing }

    // MARK: The kept state

    private func loaded() throws(RelayError) -> RelayState {
        if let state { return state }
        let bytes: Data?
        do {
            bytes = try storage.load()
        } catch {
            throw RelayError(storing: error)
        }
        var loaded: RelayState
        if let stored = bytes.flatMap({ try? JSONDecoder().decode(RelayState.self, from: $0) }) {
            loaded = stored
            isStored = true
        } else {
            if bytes != nil { logger.log(.error, "discarded the stored keys, which are damaged") }
            loaded = RelayState(keys: try newKeys(), relay: relay.text)
        }
        loaded.take(relay: relay.text)
        state = loaded
        return loaded
    }

    private func newKeys() throws(RelayError) -> RelayKeys {
        do {
            return try RelayKeys(random: cryptography)
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Changes the state, in the storage before in memory. The first change also stores new keys.
    private func change(_ edit: (inout RelayState) -> Void) throws(RelayError) {
        let old = try loaded()
        var new = old
        edit(&new)
        guard new != old || !isStored else { return }
        do {
            try storage.save(try JSONEncoder().encode(new))
        } catch {
            throw RelayError(storing: error)
        }
        state = new
        isStored = true
    }
}

#if canImport(CryptoKit)
    extension RelayClient {
        /// Creates a client with the cryptography of CryptoKit.
        ///
        /// - Parameters:
        ///   - relay: The base URL of the author's relay.
        ///   - storage: The storage of the keys and secrets.
        ///   - admission: The proof that the app is the author's, if the relay asks for one.
        ///   - neutralText: The text of notifications that the app cannot open; `nil` for the relay's own.
        ///   - http: The sender of requests.
        ///   - logger: A logger for changes and failures.
        public init(
            relay: GatewayURL, storage: any RelayStorage, admission: (any RelayAdmission)? = nil,
            neutralText: RelayNeutralText? = nil, http: any HTTPSending = URLSessionSender(),
            logger: PushLogger = .none
        ) {
            self.init(
                relay: relay, storage: storage, cryptography: CryptoKitCryptography(), admission: admission,
                neutralText: neutralText, http: http, logger: logger)
        }
    }
#endif
