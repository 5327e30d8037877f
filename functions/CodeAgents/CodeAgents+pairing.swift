import Cryptography
import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging

/// `POST /createPairing`: makes a code with which one device can subscribe itself to an agent, without the secret.
extension CodeAgents {
    @Sendable func createPairing(_ request: CheckedRequest) async throws -> FunctionResponse {
        let cwd = try request.fields.optional(.cwd)
        let name = try request.fields.optional(.agentDisplayName)
        guard let cwd else { throw request.fields.missing(.cwd) }
        try checkAccess(of: try await store.document(at: CodeAgentsDocuments.server(request.serverKey)))
        let new = try await makeCode(
            for: PairedAgent(serverKey: request.serverKey, cwd: cwd, displayName: name))
        var body: JSONObject = [
            "ok": true, "code": .string(new.code.text), "expires_at": .string(new.expiresAt.description),
        ]
        body["link"] = link(with: new.code).map(JSONValue.string)
        return FunctionResponse(headerFields: [.cacheControl: "no-store"], body: .object(body))
    }

    /// Makes a code for an agent, whose server may use the functions.
    func makeCode(for agent: PairedAgent) async throws(StoreError) -> Pairings.NewCode {
        let new = try await pairings.makeCode(for: agent)
        logger.info(
            "made a code for a device",
            metadata: [
                "server": "\(agent.serverKey.prefix(8))",
                "agent": "\(SHA256.hexadecimal(of: agent.cwd).prefix(8))",
            ])
        return new
    }

    /// Returns the link to the page that exchanges a code; `nil` if the gateway does not know its address.
    ///
    /// The code is in the fragment, which browsers do not send, so a preview of the link lacks it. Only a page that an
    /// iPhone is to add to the home screen sends it, in the query of its manifest.
    func link(with code: PairingCode) -> String? { publicURL.map { $0 + code.path } }
}

extension PairingCode {
    /// The path of the page that exchanges the code, with the code in its fragment.
    package var path: String { TryPage.path + "#" + text }
}

/// The endpoints of devices that are paired, or want to be. The page at ``TryPage/path`` calls them.
extension CodeAgents {
    var pairingEndpoints: [Endpoint] {
        let group = EndpointGroup("pairing", CodeAgentsError.self, logger: logger)
        return [
            group.endpoint(.post, TryPage.pattern(below: "pair"), pairDevice),
            group.endpoint(.put, TryPage.pattern(below: "subscription"), subscribePairedDevice),
            group.endpoint(.delete, TryPage.pattern(below: "subscription"), endPairing),
        ]
    }

    /// `POST /try/pair`: exchanges a code for the credential of one device.
    @Sendable private func pairDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        try limits.admit(address: request.clientAddress, at: now().seconds)
        let fields = LooseFields(try await request.jsonObject(limit: Self.maximumBodyBytes))
        guard let text = fields.string("code") else { return try await pairLocalBrowser(request) }
        func judgeCode(isGood: Bool) throws(CodeAgentsError) {
            try judge(BearerCredential(text), isRight: isGood, from: request.clientNetworks, otherwise: .unknownCode)
        }
        var new: Pairings.NewDevice?
        if let code = PairingCode(text) {
            // An address that has to wait must not use up the code.
            new = try await pairings.exchange(code, judge: judgeCode)
        } else {
            try judgeCode(isGood: false)
        }
        guard let new else { throw CodeAgentsError.unknownCode }
        return answer(new)
    }

    /// Pairs a browser on the gateway's own machine with an agent of its own, of a server with a new secret.
    private func pairLocalBrowser(_ request: FunctionRequest) async throws -> FunctionResponse {
        if let reason = request.originRefusal { throw CodeAgentsError.foreignOrigin(reason) }
        guard request.isFromLoopback else { throw CodeAgentsError.codeRequired }
        let secret = newSecret()
        let agent = PairedAgent(
            serverKey: SHA256.hexadecimal(of: secret), cwd: TryPage.path, displayName: "This browser")
        // The operator cannot have decided about a server that is this new.
        try checkAccess(of: nil)
        return answer(try await pairings.admit(to: agent), secret: secret)
    }

    /// Returns a secret that the settings allow: 256 random bits in base64url, or as many more as are required.
    private func newSecret() -> String {
        Base64URL.encode(RandomBytes.generate(max(32, (settings.minimumSecretLength * 3 + 3) / 4)))
    }

    /// - Parameter secret: The secret of the device's server, if it is the device's own.
    private func answer(_ new: Pairings.NewDevice, secret: String? = nil) -> FunctionResponse {
        let agent = new.device.agent
        logger.info(
            "paired a device",
            metadata: [
                "server": "\(agent.serverKey.prefix(8))",
                "agent": "\(SHA256.hexadecimal(of: agent.cwd).prefix(8))", "device": "\(new.device.id.prefix(8))",
            ])
        var body: JSONObject = [
            "ok": true, "credential": .string(new.credential.text),
            "installation_id": .string(new.device.installationID), "server_key": .string(agent.serverKey),
            "cwd": .string(agent.cwd),
        ]
        body["agent_display_name"] = agent.displayName.map(JSONValue.string)
        body["secret"] = secret.map(JSONValue.string)
        return FunctionResponse(headerFields: [.cacheControl: "no-store"], body: .object(body))
    }

    /// The fields of an app, which has a token, or an address at its author's relay, in place of a subscription.
    private static let appFields =
        [
            BodyField.fcmToken, .platform, .appVersion, .appVersionCamelCase, .bundleID, .bundleIDCamelCase,
            .apnsEnvironment,
        ].map(\.name) + ["relay"]

    /// `PUT /try/subscription`: subscribes the device, or replaces its subscription.
    @Sendable private func subscribePairedDevice(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await pairedDevice(of: request)
        let body = try await request.jsonObject(limit: Self.maximumBodyBytes)
        var fields: JSONObject = [:]
        fields[SubscriptionField.name] = body[SubscriptionField.name]
        if fields[SubscriptionField.name] == nil {
            for name in Self.appFields { fields[name] = body[name] }
        }
        fields[RegistrationFields.receipts] = body[RegistrationFields.receipts]
        fields[BodyField.agentDisplayName.name] = try await displayName(of: device.agent).map(JSONValue.string)
        do {
            return try await subscribe(
                checkedRequest(of: device, fields, request), alongside: [try pairings.use(of: device)])
        } catch let error as StoreError where error.code == .notFound {
            // The credential has ended since it was checked.
            throw CodeAgentsError.unknownCredential
        }
    }

    /// `DELETE /try/subscription`: unsubscribes the device and ends its credential.
    @Sendable private func endPairing(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await pairedDevice(of: request)
        let deleted = try await pairings.forget(device.id) ?? 0
        return FunctionResponse(body: ["ok": true, "deleted": .integer(Int64(deleted))])
    }

    /// Returns a device's request with the folder and the installation id of its pairing.
    private func checkedRequest(
        of device: PairedDevice, _ fields: JSONObject, _ request: FunctionRequest
    ) -> CheckedRequest {
        var fields = fields
        fields[BodyField.cwd.name] = .string(device.agent.cwd)
        fields[BodyField.installationID.name] = .string(device.installationID)
        return CheckedRequest(
            serverKey: device.agent.serverKey, fields: LooseFields(fields), clientAddress: request.clientAddress,
            preference: Preference([:]), headerFields: [:], body: [])
    }

    /// Returns the name that the agent has, else the one of the pairing: a registration replaces it.
    private func displayName(of agent: PairedAgent) async throws(StoreError) -> String? {
        let path = try Agent(serverKey: agent.serverKey, cwd: agent.cwd).path
        let stored = try await store.document(at: path)?[CodeAgentsDocuments.Field.agentDisplayName]?.string
        return stored ?? agent.displayName
    }

    // MARK: Credentials

    /// Returns the device with the request's credential.
    private func pairedDevice(of request: FunctionRequest) async throws -> PairedDevice {
        guard let credential = BearerCredential(authorization: request.headerFields[.authorization]) else {
            throw CodeAgentsError.unknownCredential
        }
        return try await pairedDevice(with: credential, from: request.clientNetworks)
    }

    /// Returns the device with a credential.
    ///
    /// - Parameter networks: The client's address and the networks that contain it, narrowest first.
    func pairedDevice(with credential: BearerCredential, from networks: [String]) async throws -> PairedDevice {
        let digest = SHA256.hexadecimal(of: credential.value)
        // A device counts by itself: with a server's limit, it could keep the server from reporting.
        try limits.admit(serverKey: digest, address: networks.first ?? "", at: now().seconds)
        let device = try await pairings.device(withDigest: digest)
        try judge(credential, isRight: device != nil, from: networks, otherwise: .unknownCredential)
        guard let device else { throw CodeAgentsError.unknownCredential }
        return device
    }

    /// Judges a code or a credential, and counts a wrong one.
    ///
    /// - Parameters:
    ///   - networks: The client's address and the networks that contain it, narrowest first.
    ///   - failure: The error for a wrong one.
    private func judge(
        _ credential: BearerCredential?, isRight: Bool, from networks: [String], otherwise failure: CodeAgentsError
    ) throws(CodeAgentsError) {
        switch guesses.judge(isRight ? credential?.digest : nil, from: networks, at: now().seconds) {
        case .accepted: break
        case .rejected: throw failure
        case .tooManyFailures(let seconds): throw .rateLimited(retryAfter: seconds)
        }
    }
}
