import DocumentStore
import HTTPTypes
import JSON
import Logging
import Messaging

/// `POST /registerSubscription`: subscribes a device to an agent's notifications.
extension CodeAgents {
    @Sendable func registerSubscription(_ request: CheckedRequest) async throws -> FunctionResponse {
        try await subscribe(request, alongside: [])
    }

    /// Subscribes a device.
    ///
    /// - Parameter writes: Further writes of the commit that stores the device.
    func subscribe(_ request: CheckedRequest, alongside writes: [Write]) async throws -> FunctionResponse {
        let subscription = try Subscription(request, reach)
        try checkApp(of: subscription.address)
        var addition = Addition()
        if try await !renew(subscription, alongside: writes) {
            addition = try await add(subscription, request, alongside: writes)
            knownDevices.insert(subscription.device, subscription.address.token)
        }
        reach.check(subscription.address)
        if let part = subscription.liveActivity {
            unshownAgents.remove(try subscription.agent.path(below: CodeAgentsDocuments.server(request.serverKey)))
            try await take(part, of: subscription)
        }
        var answer: JSONObject = [
            "ok": true, "server_key": .string(subscription.agent.serverKey),
            "agent_key": .string(subscription.agent.key),
        ]
        SubscriptionField.note(formerRemovedAt: addition.formerRemovedAt, in: &answer)
        if addition.replacesToken { answer["replaced"] = true }
        let warnings = reach.warnings(about: subscription.address)
        if !warnings.isEmpty { answer["warnings"] = .array(warnings.map(JSONValue.string)) }
        return FunctionResponse(body: .object(answer))
    }

    /// Takes the update tokens of cards. They are stored with the cards.
    private func take(_ part: LiveActivityPart, of subscription: Subscription) async throws(StoreError) {
        try await cards?.take(
            part.tokens, of: subscription.address.app, part.registration, source: Self.source,
            owner: CodeAgentsDocuments.owner(subscription.agent.serverKey))
    }

    /// Refuses a token of an app that the gateway does not send for. Otherwise clients could choose the app for
    /// which the operator's key is used.
    private func checkApp(of address: PushAddress) throws(CodeAgentsError) {
        guard let bundleID = address.app.bundleID, !isAppConfigured(address) else { return }
        logger.info(
            "refused a registration for an app that is not configured",
            metadata: ["bundle_id": "\(bundleID.debugDescription)"])
        throw .appNotConfigured
    }

    /// Writes server, agent and device in one commit, if they and the documents of the other writes exist.
    ///
    /// Most devices register repeatedly, so nothing is read or counted before this commit. A device that seems to be
    /// new, or to have another token, is looked up first, because a refused commit also waits for its turn at the
    /// writer.
    ///
    /// - Returns: `true` if they existed.
    private func renew(_ subscription: Subscription, alongside writes: [Write]) async throws(StoreError) -> Bool {
        guard subscription.browser?.former == nil,
            knownDevices.contains(subscription.device, subscription.address.token)
        else { return false }
        let time = Value.timestamp(now())
        let server = try CodeAgentsDocuments.server(subscription.agent.serverKey)
        do throws(StoreError) {
            _ = try await store.commit(
                [
                    .update(server, [CodeAgentsDocuments.Field.lastSeenAt: time]),
                    .set(try subscription.agent.path(below: server), subscription.agentFields(at: time)),
                    .set(subscription.device, subscription.deviceFields(at: time), precondition: .exists(true)),
                ] + writes)
            return true
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }
}

/// A valid body of `registerSubscription`.
struct Subscription: Sendable {
    let agent: Agent
    let device: DocumentPath
    private let agentDisplayName: String?
    let address: PushAddress
    private let box: BrowserBox?
    private let platform: String
    private let appVersion: String?
    /// The part for Live Activities; `nil` for a device that shows none.
    let liveActivity: LiveActivityPart?

    /// A browser's subscription, or an address at a relay, on the heap. Registrations of other phones have none, and no
    /// room for it in their frames.
    private indirect enum BrowserBox {
        case browser(RegisteredSubscription)
    }

    /// The subscription that stands in place of a token, or the address at a relay; `nil` with another token.
    var browser: RegisteredSubscription? {
        if case .browser(let browser) = box { browser } else { nil }
    }

    /// Reads the fields in the contract's order, because the first that is too long is the answer.
    init(_ request: CheckedRequest, _ reach: DeviceReach) throws(CodeAgentsError) {
        let fields = request.fields
        let cwd = try fields.optional(.cwd)
        let installationID = try fields.optional(.installationID)
        let token = try fields.optional(.fcmToken)
        agentDisplayName = try fields.optional(.agentDisplayName)
        let platform = try fields.optional(.platform)
        appVersion = try fields.first(of: .appVersion, .appVersionCamelCase)
        let bundleID = try fields.first(of: .bundleID, .bundleIDCamelCase)
        let environment = try fields.optional(.apnsEnvironment)
        let asksForReceipts = fields.asksForReceipts
        guard let cwd else { throw fields.missing(.cwd) }
        guard let installationID else { throw fields.missing(.installationID) }
        agent = Agent(serverKey: request.serverKey, cwd: cwd)
        if let token {
            guard fields.value(SubscriptionField.name) == nil else { throw .tokenAndSubscription }
            if let relayed = try Self.relayAddress(token, fields, reach.subscriptions) {
                address = relayed.address.asking(forReceipts: asksForReceipts)
                box = .browser(relayed)
                liveActivity = try Self.liveActivity(in: fields, of: .relayed)
            } else {
                try Self.check(token, reach.forms)
                try Self.check(environment, of: token, reach.forms)
                address = reach.forms.address(
                    of: token, app: AppIdentity(bundleID: bundleID, environment: environment)
                ).asking(forReceipts: asksForReceipts)
                box = nil
                liveActivity = try Self.liveActivity(in: fields, of: .phone)
            }
            self.platform = platform ?? "ios"
        } else {
            let browser = try Self.browser(fields, reach.subscriptions)
            address = browser.address.asking(forReceipts: asksForReceipts)
            box = .browser(browser)
            liveActivity = try Self.liveActivity(in: fields, of: .browser)
            self.platform = platform ?? "web"
        }
        do {
            device = try agent.path.document(installationID, in: CodeAgentsDocuments.devices)
        } catch {
            throw .unusableInstallationID
        }
    }

    private static func check(
        _ environment: String?, of token: String, _ forms: TokenForms
    ) throws(CodeAgentsError) {
        guard let environment, forms.environment(environment, of: token) == nil else { return }
        throw .badRequest(
            "\(BodyField.apnsEnvironment.name) must be one of: \(forms.environments(of: token).joined(separator: ", "))"
        )
    }

    private static func check(_ token: String, _ forms: TokenForms) throws(CodeAgentsError) {
        do throws(SubscriptionFieldError) {
            try forms.check(token, in: BodyField.fcmToken.name)
        } catch {
            throw CodeAgentsError(error)
        }
    }

    private static func liveActivity(
        in fields: LooseFields, of kind: LiveActivityPart.AddressKind
    ) throws(CodeAgentsError) -> LiveActivityPart? {
        do throws(LiveActivityPart.Refusal) {
            return try LiveActivityPart.read(fields, of: kind)
        } catch {
            throw .invalidLiveActivity(error)
        }
    }

    private static func relayAddress(
        _ token: String, _ fields: LooseFields, _ subscriptions: BrowserSubscriptions
    ) throws(CodeAgentsError) -> RegisteredSubscription? {
        do throws(SubscriptionFieldError) {
            return try subscriptions.relayAddress(in: fields, token: token, field: BodyField.fcmToken.name)
        } catch {
            throw CodeAgentsError(error)
        }
    }

    private static func browser(
        _ fields: LooseFields, _ subscriptions: BrowserSubscriptions
    ) throws(CodeAgentsError) -> RegisteredSubscription {
        let subscription: RegisteredSubscription?
        do throws(SubscriptionFieldError) {
            subscription = try subscriptions.subscription(in: fields)
        } catch {
            throw CodeAgentsError(error)
        }
        guard let subscription else { throw fields.missing(.fcmToken) }
        return subscription
    }

    /// Returns `true` if a stored device has another token.
    func replacesToken(of device: Document?) -> Bool {
        guard let stored = device?[CodeAgentsDocuments.Field.token]?.string else { return false }
        return RegistrationToken(stored) != address.token
    }

    func agentFields(at time: Value) -> Fields {
        var fields: Fields = [
            CodeAgentsDocuments.Field.cwd: .string(agent.cwd), CodeAgentsDocuments.Field.updatedAt: time,
        ]
        fields[CodeAgentsDocuments.Field.agentDisplayName] = agentDisplayName.map(Value.string)
        return fields
    }

    func deviceFields(at time: Value) -> Fields {
        var fields = CodeAgentsDocuments.registrationFields.fields(of: address)
        fields[CodeAgentsDocuments.Field.platform] = .string(platform)
        fields[CodeAgentsDocuments.Field.updatedAt] = time
        fields[CodeAgentsDocuments.Field.appVersion] = appVersion.map(Value.string)
        fields[CardRegistration.field] = liveActivity?.registration.value
        return fields
    }
}

/// `POST /unregisterSubscription`: ends a device's subscription to one agent, or to all agents of a server.
extension CodeAgents {
    @Sendable func unregisterSubscription(_ request: CheckedRequest) async throws -> FunctionResponse {
        let optionalID = try request.fields.optional(.installationID)
        let cwd = try request.fields.optional(.cwd)
        guard let installationID = optionalID else { throw request.fields.missing(.installationID) }
        let devices = try await devices(of: installationID, serverKey: request.serverKey, cwd: cwd)
        var deleted = 0
        for start in stride(from: 0, to: devices.count, by: Self.batch) {
            deleted += try await delete(Array(devices[start..<min(start + Self.batch, devices.count)]))
        }
        return FunctionResponse(body: ["ok": true, "deleted": .integer(Int64(deleted))])
    }

    /// Returns the possible paths of the installation's device: below the given agent, or below each agent of the
    /// server.
    private func devices(of installationID: String, serverKey: String, cwd: String?) async throws -> [DocumentPath] {
        do throws(StoreError) {
            // An invalid device id is an error even if there are no agents.
            _ = try CollectionPath(CodeAgentsDocuments.devices).document(installationID)
            if let cwd {
                return [try Agent(serverKey: serverKey, cwd: cwd).devices.document(installationID)]
            }
            var agents = Query.collection(
                try CodeAgentsDocuments.server(serverKey).collection(CodeAgentsDocuments.agents))
            agents.projection = []
            return try await store.documents(matching: agents).map { agent throws(StoreError) in
                try agent.path.collection(CodeAgentsDocuments.devices).document(installationID)
            }
        } catch {
            guard error.code == .invalidArgument else { throw error }
            throw CodeAgentsError.unusableInstallationID
        }
    }

    /// - Returns: The number of documents that existed.
    private func delete(_ devices: [DocumentPath]) async throws(StoreError) -> Int {
        let existing = try await store.documents(at: devices).compactMap { $0?.path }
        guard !existing.isEmpty else { return 0 }
        _ = try await store.commit(existing.map { .delete($0) })
        return existing.count
    }
}
