package import DocumentStore
package import Logging
package import Messaging

/// The push gateway for coding agents. Devices subscribe to an agent, and the agent's server reports finished replies.
///
/// docs/functions/codeagents.md is the contract.
package struct CodeAgents: FunctionModule {
    package static let registrationFields = CodeAgentsDocuments.registrationFields

    let settings: CodeAgentsSettings
    let store: any DocumentStore
    /// The servers, agents and devices that triggers have read; `nil` to read them for each trigger.
    let cache: DocumentCache?
    let broadcaster: Broadcaster
    /// The Live Activities; `nil` for none.
    let cards: Cards?
    let limits: RequestLimits
    let isAppConfigured: @Sendable (PushAddress) -> Bool
    let reach: DeviceReach
    let pairings: Pairings
    /// The limiter of guesses at codes and credentials of paired devices.
    let guesses = AuthenticationLimiter()
    /// The address at which phones reach the gateway, without a slash at its end; `nil` if it is not known.
    let publicURL: String?
    /// Returns the public key that browsers need to subscribe; `nil` if Web Push is off.
    let webPushKey: @Sendable () -> String?
    let knownDevices = KnownDevices()
    let unshownAgents = UnshownAgents()
    let activity = ServerActivity()
    /// A queue per server, in which new devices are counted one at a time, and the places that they have reserved
    /// since.
    let newDevices = KeyedQueue()
    let places = Places()
    let idempotency: IdempotentRequests
    let history: DeliveryHistory
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameters:
    ///   - isAppConfigured: Returns `true` unless the gateway does not send for the address's app.
    ///   - hasTransport: Returns `true` if the gateway has the transport.
    ///   - reachesDevices: `false` if the gateway delivers everything into its inbox.
    ///   - forms: The forms of tokens.
    ///   - subscriptions: The subscriptions that devices register in place of tokens; `nil` to take those of the forms.
    ///   - troubles: The record of devices whose notifications cannot arrive; `nil` for one of its own.
    ///   - publicURL: The address at which phones reach the gateway, without a slash at its end; `nil` if it is not
    ///     known.
    ///   - webPushKey: Returns the public key that browsers need to subscribe; `nil` if Web Push is off.
    ///   - cards: The Live Activities; `nil` for none.
    ///   - cache: A cache of the documents below `servers`; `nil` to read them for each trigger.
    ///   - isShared: `true` if other gateways may change the documents too.
    package init(
        settings: CodeAgentsSettings, store: any DocumentStore, broadcaster: Broadcaster,
        isAppConfigured: @escaping @Sendable (PushAddress) -> Bool = { _ in true },
        hasTransport: @escaping @Sendable (TransportName) -> Bool = { _ in true }, reachesDevices: Bool = true,
        forms: TokenForms = .standard,
        subscriptions: BrowserSubscriptions? = nil, troubles: DeviceTroubles? = nil, publicURL: String? = nil,
        webPushKey: @escaping @Sendable () -> String? = { nil }, cards: Cards? = nil, cache: DocumentCache? = nil,
        isShared: Bool = false, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.cache = cache
        self.broadcaster = broadcaster
        self.cards = cards
        limits = RequestLimits(settings)
        self.isAppConfigured = isAppConfigured
        reach = DeviceReach(
            system: Self.source, hasTransport: hasTransport, reachesDevices: reachesDevices, forms: forms,
            subscriptions: subscriptions
                ?? BrowserSubscriptions(forms: forms, store: store, collections: .all(of: [Self.self]), now: now),
            troubles: troubles ?? DeviceTroubles(now: now, logger: logger))
        pairings = Pairings(store: store, now: now)
        self.publicURL = publicURL
        self.webPushKey = webPushKey
        idempotency = IdempotentRequests(store: store, isShared: isShared, clock: clock, now: now)
        history = DeliveryHistory(store: store, logger: logger)
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    package init(settings: CodeAgentsSettings, services: ModuleServices) {
        self.init(
            settings: settings, store: services.store, broadcaster: services.broadcaster,
            isAppConfigured: services.host.isAppConfigured, hasTransport: services.host.hasTransport,
            reachesDevices: services.host.reachesDevices, forms: services.host.forms,
            subscriptions: services.subscriptions, troubles: services.troubles,
            publicURL: services.host.publicURL, webPushKey: services.host.webPushKey, cards: services.cards,
            cache: services.cache(CodeAgentsDocuments.servers), isShared: services.isShared, clock: services.clock,
            now: services.now, logger: services.logger)
    }

    package static let name = "coding agents"
    package static let source = "codeagents"
    package static let registrationCollection: String? = CodeAgentsDocuments.devices

    package var functions: [HTTPSFunction] {
        [
            function("registerSubscription", isForPages: true, registerSubscription),
            function("unregisterSubscription", isForPages: true, unregisterSubscription),
            function("triggerReplyFinished", triggerReplyFinished),
            function("updateReply", budget: .updates, updateReply),
        ] + (settings.pairing ? [function("createPairing", createPairing)] : [])
    }

    package var endpoints: [Endpoint] { settings.pairing ? pairingEndpoints + pageEndpoints : [] }

    /// The responses at paths below a function, in each form in which functions are served.
    package var fallbacks: [Fallback] {
        let group = EndpointGroup("codeagents", CodeAgentsError.self, logger: logger)
        return functions.map { function in
            let paths = ["", "/{prefix}", "/{project}/{region}"].map { "\($0)/\(function.name)" }
            return group.fallback(below: paths.map { PathPattern(stringLiteral: $0) }, .notFound)
        }
    }

    package var deviceList: DeviceList? {
        DeviceList(
            collections: CodeAgentsDocuments.devices, title: "Coding agents", system: Self.source, store: store,
            groups: { try await group(named: $0, limit: $1) }, troubles: { try await trouble(of: $0) },
            read: { [store] place, limit in
                let page = try await DeviceSearch(store: store).page(after: place, limit: limit)
                return (page.devices, page.next)
            },
            agents: { [store] devices in
                let agents = Array(Set(devices.compactMap(\.collection.parent)))
                var names: [DocumentPath: String] = [:]
                for (agent, outcome) in zip(agents, try await store.outcomes(at: agents)) {
                    guard case .success(let document?) = outcome else { continue }
                    names[agent] =
                        document[CodeAgentsDocuments.Field.agentDisplayName]?.string
                        ?? document[CodeAgentsDocuments.Field.cwd]?.string
                }
                var namesOfDevices: [DocumentPath: String] = [:]
                for device in devices {
                    namesOfDevices[device] = device.collection.parent.flatMap { names[$0] }
                }
                return namesOfDevices
            })
    }

    package var jobs: [ScheduledJob] {
        [
            ScheduledJob(name: "codeagents-clean-up", interval: .seconds(24 * 60 * 60), run: cleanUp),
            ScheduledJob(name: "codeagents-codes", interval: .seconds(60 * 60), run: removeExpiredCodes),
        ]
    }
}

/// The scheduled clean-up, which removes everything that no device and no server has used for 90 days.
extension CodeAgents {
    private static let maximumAge = Duration.seconds(90 * 24 * 60 * 60)
    /// The maximum number of documents in one lookup or commit.
    static let batch = 500

    /// Removes codes of pairings that have expired.
    @Sendable func removeExpiredCodes() async throws {
        let removed = try await pairings.removeExpiredCodes()
        if removed > 0 { logger.debug("removed expired codes", metadata: ["codes": "\(removed)"]) }
    }

    /// Removes devices first, then agents without devices, then servers without agents, and credentials of paired
    /// devices.
    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        // Triggers, also those of other gateways, may be later than the stored times of their agents and servers.
        let triggerCutoff = cutoff.adding(.zero - ServerActivity.lag)
        let devices = try await sweep(
            CodeAgentsDocuments.devices, CodeAgentsDocuments.Field.updatedAt, cutoff, depth: 3)
        let agents = try await sweep(
            CodeAgentsDocuments.agents, CodeAgentsDocuments.Field.updatedAt, triggerCutoff, depth: 2)
        let servers = try await sweep(
            CodeAgentsDocuments.servers, CodeAgentsDocuments.Field.lastSeenAt, triggerCutoff, depth: 1)
        let credentials = try await pairings.removeDevices(unusedSince: cutoff)
        logger.info(
            "cleaned up",
            metadata: [
                "devices": "\(devices)", "agents": "\(agents)", "servers": "\(servers)",
                "credentials": "\(credentials)",
            ])
    }

    /// Deletes the stale documents without children, in all collections with that id, oldest first.
    ///
    /// - Parameter depth: The depth of this module's documents; another module may have collections with the same id.
    /// - Returns: The number of deleted documents.
    private func sweep(
        _ collection: String, _ field: String, _ cutoff: Timestamp, depth: Int
    ) async throws(StoreError) -> Int {
        var deleted = 0
        var query = Query.collectionGroup(collection)
            .where(FieldPath(field), .lessThan, .timestamp(cutoff))
            .ordered(by: FieldPath(field)).ordered(by: .documentName)
            .limited(to: Self.batch)
        query.projection = [FieldPath(field), FieldPath(CodeAgentsDocuments.Field.access)]
        while true {
            let stale = try await store.documents(matching: query)
            // The operator's list of servers stays.
            for document in stale
            where document.path.isCodeAgents(depth: depth) && document[CodeAgentsDocuments.Field.access] == nil {
                if try await isChildless(document.path), try await delete(document) { deleted += 1 }
            }
            guard let last = stale.last, let time = last[field], stale.count == Self.batch else { return deleted }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func isChildless(_ path: DocumentPath) async throws(StoreError) -> Bool {
        try await store.collectionIDs(below: path).isEmpty
    }

    /// Deletes the document unless it has changed since it was read, because a device may register at the same
    /// moment.
    private func delete(_ document: Document) async throws(StoreError) -> Bool {
        do {
            _ = try await store.commit([.delete(document.path, precondition: .updateTime(document.updateTime))])
            return true
        } catch {
            guard error.code == .failedPrecondition else { throw error }
            return false
        }
    }
}

extension DocumentPath {
    /// Returns `true` if the path is of a server, an agent or a device, at depth 1, 2 or 3.
    fileprivate func isCodeAgents(depth: Int) -> Bool {
        let collections = description.split(separator: "/").enumerated().filter { $0.offset.isMultiple(of: 2) }
        let own = [CodeAgentsDocuments.servers, CodeAgentsDocuments.agents, CodeAgentsDocuments.devices]
        return collections.map { String($0.element) } == Array(own.prefix(depth))
    }
}
