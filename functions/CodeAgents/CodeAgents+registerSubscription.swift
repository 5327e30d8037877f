internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Logging
internal import Messaging

/// `POST /registerSubscription`: a phone wants the notifications of an agent.
extension CodeAgents {
    @Sendable func registerSubscription(_ request: CheckedRequest) async throws -> FunctionResponse {
        let subscription = try Subscription(request)
        try checkApp(of: subscription.address)
        if try await !renew(subscription) {
            try await add(subscription, request)
            knownDevices.insert(subscription.device)
        }
        return FunctionResponse(
            body: [
                "ok": true, "server_key": .string(subscription.agent.serverKey),
                "agent_key": .string(subscription.agent.key),
            ])
    }

    /// Refuses an APNs token of an app that the gateway does not send for: with the operator's key, whoever registers would
    /// choose whose app it is used for.
    private func checkApp(of address: Address) throws(CodeAgentsError) {
        guard address.lane.transport == .apns, let bundleID = address.lane.topic, !isAppConfigured(bundleID) else {
            return
        }
        logger.info(
            "refused a registration for an app that is not configured",
            metadata: ["bundle_id": "\(bundleID.debugDescription)"])
        throw .appNotConfigured
    }

    /// Writes server, agent and device in one commit, if they are there.
    ///
    /// Most devices register again and again: nothing is read or counted before it. One that is new, as far as can be told, is
    /// looked for first, since a commit that is refused waits for its turn at the writer too.
    ///
    /// - Returns: whether they were.
    private func renew(_ subscription: Subscription) async throws -> Bool {
        guard knownDevices.contains(subscription.device) else { return false }
        let time = Value.timestamp(now())
        let server = try CodeAgentsDocuments.server(subscription.agent.serverKey)
        do throws(StoreError) {
            _ = try await store.commit([
                .update(server, [CodeAgentsDocuments.Field.lastSeenAt: time]),
                .set(try subscription.agent.path(below: server), subscription.agentFields(at: time)),
                .set(subscription.device, subscription.deviceFields(at: time), precondition: .exists(true)),
            ])
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
    let address: Address
    private let platform: String
    private let appVersion: String?

    init(_ request: CheckedRequest) throws(CodeAgentsError) {
        let fields = request.fields
        let cwd = try fields.optional(.cwd)
        let installationID = try fields.optional(.installationID)
        let token = try fields.optional(.fcmToken)
        agentDisplayName = try fields.optional(.agentDisplayName)
        platform = try fields.optional(.platform) ?? "ios"
        appVersion = try fields.first(of: .appVersion, .appVersionCamelCase)
        let bundleID = try fields.first(of: .bundleID, .bundleIDCamelCase)
        let environmentName = try fields.optional(.apnsEnvironment)
        let environment = environmentName.flatMap { APNsEnvironment(rawValue: $0.lowercased()) }
        guard let cwd, let installationID, let token, (environmentName == nil) == (environment == nil) else {
            throw .badRequest
        }
        agent = Agent(serverKey: request.serverKey, cwd: cwd)
        address = Address(token: token, topic: bundleID, environment: environment)
        do {
            device = try agent.path.document(installationID, in: CodeAgentsDocuments.devices)
        } catch {
            throw .badRequest
        }
    }

    func agentFields(at time: Value) -> Fields {
        var fields: Fields = [
            CodeAgentsDocuments.Field.cwd: .string(agent.cwd), CodeAgentsDocuments.Field.updatedAt: time,
        ]
        fields[CodeAgentsDocuments.Field.agentDisplayName] = agentDisplayName.map(Value.string)
        return fields
    }

    func deviceFields(at time: Value) -> Fields {
        var fields: Fields = [
            CodeAgentsDocuments.Field.token: .string(address.token.value),
            CodeAgentsDocuments.Field.transport: .string(address.lane.transport.rawValue),
            CodeAgentsDocuments.Field.platform: .string(platform),
            CodeAgentsDocuments.Field.updatedAt: time,
        ]
        fields[CodeAgentsDocuments.Field.appVersion] = appVersion.map(Value.string)
        fields[CodeAgentsDocuments.Field.bundleID] = address.lane.topic.map(Value.string)
        fields[CodeAgentsDocuments.Field.environment] = address.lane.environment.map { .string($0.rawValue) }
        return fields
    }
}
