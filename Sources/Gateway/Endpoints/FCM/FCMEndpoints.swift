import DocumentStore
import Functions
import Hummingbird
import Instance
import Logging
import Messaging
import RequestRules
import Server

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

    init(
        _ configuration: GatewayConfiguration.FCM, _ storage: GatewayStorage, _ delivery: GatewayDelivery,
        _ originGuard: OriginGuard, _ refusals: RefusalLog, _ logger: Logger
    ) {
        let isEmulator = delivery.isEmulator
        self.originGuard = isEmulator ? originGuard : nil
        let resolver = RegistrationResolver(storage, delivery)
        let subscriptions = TopicSubscriptions(store: storage.admitting, now: { .now })
        let tokens = AccessTokens(key: storage.key.accessTokens, now: { Timestamp.now.seconds })
        messages = MessageEndpoint(
            resolver: resolver, transports: delivery.transports, outbox: delivery.outbox,
            broadcaster: delivery.broadcaster,
            scripts: delivery.scripts, sent: delivery.sent, configuration: configuration, isEmulator: isEmulator,
            quota: FixedWindowLimiter(limit: configuration.messagesPerMinutePerAccount, everySeconds: 60),
            clock: .continuous, now: { .now })
        topics = TopicSubscriptionEndpoints(resolver: resolver, subscriptions: subscriptions)
        instanceIDs = InstanceIDEndpoints(
            resolver: resolver, subscriptions: subscriptions, project: configuration.projectID,
            isAppConfigured: delivery.isAppConfigured)
        token = TokenEndpoint(
            tokens: tokens, accounts: ServiceAccounts(directory: storage.directory, logger: logger),
            isEmulator: isEmulator, originGuard: self.originGuard, refusals: refusals)
        authentication = FCMAuthentication(
            tokens: tokens, project: configuration.projectID, isEmulator: isEmulator)
    }

    /// The beginnings of paths: none, a prefix that a proxy keeps, or two segments, as for functions.
    private static let prefixes: [RouterPath] = ["", ":prefix", ":prefix/:region"]

    func add(to router: Router<GatewayRequestContext>) {
        for prefix in Self.prefixes { add(to: router.group(prefix)) }
    }

    private func add(to router: RouterGroup<GatewayRequestContext>) {
        token.add(to: router)
        let group = router.group()
        if let originGuard { group.add(middleware: originGuard) }
        group.add(middleware: authentication)
        messages.add(to: group)
        topics.add(to: group)
        instanceIDs.add(to: group)
    }
}
