import DocumentStore
package import Functions
package import Hummingbird
package import Instance
package import Logging
import Messaging
package import RequestRules
package import Server

/// The FCM interface: the endpoints that FCM's SDKs call at `fcm.googleapis.com`, `iid.googleapis.com` and the token
/// endpoint; and those by which browsers get registration tokens for it.
package struct FCMEndpoints: Sendable {
    /// The name of FCM's clients in metrics and in the records of their messages.
    package static let source = "fcm"

    private let messages: MessageEndpoint
    private let topics: TopicSubscriptionEndpoints
    private let instanceIDs: InstanceIDEndpoints
    private let token: TokenEndpoint
    private let webPush: WebPushEndpoints
    private let authentication: FCMAuthentication
    /// The origin check; `nil` if the endpoints require credentials.
    private let originGuard: OriginGuard?

    /// Creates the endpoints.
    ///
    /// - Parameters:
    ///   - tokens: The issuer of access tokens.
    ///   - directory: The data directory with the service accounts.
    ///   - registrationsPerHour: The maximum number of subscriptions that one address may register for the first time
    ///     per hour; 0 removes the limit.
    package init(
        _ settings: FCMSettings, _ services: FCMServices, tokens: AccessTokens, accountsIn directory: DataDirectory,
        registrationsPerHour: Int, _ originGuard: OriginGuard, _ refusals: RefusalLog, _ logger: Logger
    ) {
        let isEmulator = services.isEmulator
        self.originGuard = isEmulator ? originGuard : nil
        let subscriptions = TopicSubscriptions(store: services.store, now: { .now })
        messages = MessageEndpoint(
            resolver: services.resolver, table: services.table, transports: services.transports,
            outbox: services.outbox, broadcaster: services.broadcaster, scripts: services.scripts, sent: services.sent,
            settings: settings, isEmulator: isEmulator,
            quota: FixedWindowLimiter(limit: settings.messagesPerMinutePerAccount, everySeconds: 60),
            idempotency: IdempotentRequests(store: services.store, isShared: services.isShared, now: { .now }),
            clock: .continuous, now: { .now })
        topics = TopicSubscriptionEndpoints(resolver: services.resolver, subscriptions: subscriptions)
        instanceIDs = InstanceIDEndpoints(
            resolver: services.resolver, subscriptions: subscriptions, project: settings.projectID,
            table: services.table, isAppConfigured: services.isAppConfigured)
        token = TokenEndpoint(
            tokens: tokens, accounts: ServiceAccounts(files: ServiceAccountFiles(in: directory), logger: logger),
            isEmulator: isEmulator, originGuard: self.originGuard, refusals: refusals)
        authentication = FCMAuthentication(tokens: tokens, project: settings.projectID, isEmulator: isEmulator)
        webPush = WebPushEndpoints(
            publicKey: services.webPushKey, subscriptions: services.subscriptions, resolver: services.resolver,
            access: RegistrationAccess(
                authentication: authentication, devices: services.deviceCredentials,
                clientAddress: originGuard.clientAddress, originGuard: self.originGuard),
            limit: NewRegistrationLimit(
                perHour: registrationsPerHour, clientAddress: originGuard.clientAddress, now: { .now }))
    }

    /// The beginnings of paths: none, a prefix that a proxy keeps, or two segments, as for functions.
    private static let prefixes: [RouterPath] = ["", ":prefix", ":prefix/:region"]

    /// Adds the routes, with and without a prefix.
    package func add(to router: Router<GatewayRequestContext>) {
        for prefix in Self.prefixes { add(to: router.group(prefix)) }
    }

    /// The calls that web pages of other origins may make.
    package static var pageCalls: [PageCalls.Call] {
        ["", "/{prefix}", "/{prefix}/{region}"].flatMap { WebPushEndpoints.pageCalls(below: $0) }
    }

    private func add(to router: RouterGroup<GatewayRequestContext>) {
        token.add(to: router)
        webPush.add(to: router)
        let group = router.group()
        if let originGuard { group.add(middleware: originGuard) }
        group.add(middleware: authentication)
        messages.add(to: group)
        topics.add(to: group)
        instanceIDs.add(to: group)
    }
}
