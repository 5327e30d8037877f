import DocumentStore
import Hummingbird
import Messaging

/// The FCM interface: the endpoints that FCM's SDKs call at `fcm.googleapis.com`, `iid.googleapis.com` and the token
/// endpoint.
struct FCMEndpoints: Sendable {
    private let messages: MessageEndpoint
    private let topics: TopicSubscriptionEndpoints
    private let instanceIDs: InstanceIDEndpoints
    private let token: TokenEndpoint
    private let authentication: FCMAuthentication
    /// The origin check; `nil` if the endpoints require credentials.
    private let originGuard: OriginGuard?

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - key: The gateway's signing key.
    ///   - isEmulator: `true` if no transport leads out of the gateway, so that it accepts every token and every
    ///     client.
    ///   - isAppConfigured: A function that returns `true` if the gateway sends for the app of a bundle id.
    init(
        _ configuration: GatewayConfiguration.FCM, store: any DocumentStore, outbox: Outbox, broadcaster: Broadcaster,
        scripts: EmulatorScripts, sent: SentMessages, key: GatewayKey, accounts: ServiceAccounts, isEmulator: Bool,
        originGuard: OriginGuard, isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool
    ) {
        self.originGuard = isEmulator ? originGuard : nil
        let directory = RegistrationDirectory(
            store: store, key: RegistrationTokenKey(key.registrationTokens),
            foreignTokens: isEmulator ? .taken : configuration.relay == nil ? .refused : .relayed, now: { .now })
        let subscriptions = TopicSubscriptions(store: store, now: { .now })
        let tokens = AccessTokens(key: key.accessTokens, now: { Timestamp.now.seconds })
        messages = MessageEndpoint(
            directory: directory, outbox: outbox, broadcaster: broadcaster, scripts: scripts,
            sent: sent, configuration: configuration, isEmulator: isEmulator, clock: .continuous, now: { .now })
        topics = TopicSubscriptionEndpoints(directory: directory, subscriptions: subscriptions)
        instanceIDs = InstanceIDEndpoints(
            directory: directory, subscriptions: subscriptions, project: configuration.projectID,
            isAppConfigured: isAppConfigured)
        token = TokenEndpoint(
            tokens: tokens, accounts: accounts, clientAddress: originGuard.clientAddress, isEmulator: isEmulator,
            originGuard: self.originGuard)
        authentication = FCMAuthentication(
            tokens: tokens, project: configuration.projectID, isEmulator: isEmulator)
    }

    func add(to router: Router<GatewayRequestContext>) {
        token.add(to: router)
        let group = router.group()
        if let originGuard { group.add(middleware: originGuard) }
        group.add(middleware: authentication)
        messages.add(to: group)
        topics.add(to: group)
        instanceIDs.add(to: group)
    }
}
