import DocumentStore
import Emulator
import Instance
import Logging
import Messaging
import Settings
import WebPush

/// The parts of a gateway that deliver messages: the outbox, the dispatcher and the push services.
struct GatewayDelivery: Sendable {
    /// The push services that are switched on.
    let services: [any PushService]
    /// All push services, those that are switched off too.
    let table: PushServiceTable
    let inbox: Inbox
    let scripts: EmulatorScripts
    let sent: SentMessages
    let dispatcher: Dispatcher
    let transports: TransportTable
    let outbox: Outbox
    let broadcaster: Broadcaster
    let takeover: Takeover
    /// The messages that are to be accepted later.
    let scheduled: ScheduledMessages
    /// The broadcast channels of Live Activities.
    let channels: CardChannels
    /// The Live Activities of runs.
    let cards: Cards
    /// The events for programs of the operator.
    let webhooks: GatewayWebhooks
    /// The address to which apps report what arrives; `nil` if the gateway does not know its own.
    let receiptAddress: ReceiptAddress?
    /// A description of the transports at the start, for logs and the start banner.
    let description: String

    /// `true` if no transport leads out of the gateway.
    var isEmulator: Bool { outward.isEmpty }

    init(_ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ logger: Logger) throws {
        let host = PushServiceHost(
            configuration,
            secrets: { name, make throws(ConfigurationError) in try storage.secret(name, make: make) },
            store: storage.store, now: { Timestamp.now.seconds }, logger: logger)
        let services = try configuration.services.make(host)
        let emulator = Self.emulator(services, host)
        (inbox, scripts, sent) = (emulator.inbox, emulator.scripts, emulator.sent)
        self.services = services
        table = configuration.services.table
        let outward = Self.outward(services)
        description = outward.isEmpty ? emulator.transport.description : Self.description(of: outward)
        channels = CardChannels(
            services.lazy.compactMap { $0.channels }.first, store: storage.store, admitting: storage.admitting,
            limits: configuration.liveActivities.limits, now: { .now }, logger: logger)
        transports =
            outward.isEmpty
            ? TransportTable(everythingTo: emulator.transport)
            : TransportTable(Self.transports(of: services, channels, configuration.liveActivities))
        webhooks = GatewayWebhooks(configuration, storage, logger)
        receiptAddress = configuration.http.publicURL.map { [key = storage.key] url in
            ReceiptAddress(publicURL: url, key: key.derived(for: "receipts"))
        }
        dispatcher = Dispatcher(
            store: storage.store, transports: transports, membership: storage.membership, events: webhooks.recorder,
            receipts: receiptAddress, logger: logger)
        outbox = Outbox(
            store: storage.admitting, dispatcher: dispatcher, defaultLifetime: configuration.messages.lifetime,
            now: { .now })
        broadcaster = Broadcaster(store: storage.store, outbox: outbox, logger: logger)
        takeover = Takeover(
            store: storage.store, dispatcher: dispatcher, broadcaster: broadcaster, membership: storage.membership,
            period: storage.period, logger: logger)
        scheduled = ScheduledMessages(
            store: storage.store, admitting: storage.admitting, outbox: outbox, broadcaster: broadcaster,
            isShared: storage.membership != nil, now: { .now }, logger: logger)
        cards = Cards(
            store: storage.store, outbox: outbox, settings: configuration.liveActivities.cards, now: { .now },
            logger: logger)
    }

    /// Returns the transports of services, and the one to cards if a service has channels.
    private static func transports(
        of services: [any PushService], _ channels: CardChannels, _ section: LiveActivitiesSection
    ) -> [TransportName: any PushTransport] {
        var transports: [TransportName: any PushTransport] = [:]
        for service in services where transports[service.name] == nil { transports[service.name] = service.transport }
        if let service = services.first(where: { $0.channels != nil }) {
            transports[.liveActivity] = CardTransport(
                over: service.transport, channels: channels, interval: section.cards.updateInterval, now: { .now })
        }
        return transports
    }

    /// Returns `true` if the gateway sends for the app of a bundle id. Without a service that knows apps it accepts
    /// every bundle id: no key exists that could send to a stranger's app.
    func isAppConfigured(_ bundleID: String) -> Bool {
        let answers = services.compactMap { $0.sends(to: bundleID) }
        return answers.isEmpty || answers.contains(true)
    }

    /// Returns `true` unless the address is of an app that its push service does not send for.
    func sends(to address: PushAddress) -> Bool {
        guard let bundleID = address.app.bundleID else { return true }
        return services.first { $0.name == address.transport }?.sends(to: bundleID) ?? true
    }

    /// Returns the service of a type; `nil` if it is switched off.
    func service<Service: PushService>(_ type: Service.Type) -> Service? {
        services.lazy.compactMap { $0 as? Service }.first
    }

    /// Returns the public key that browsers need to subscribe; `nil` if Web Push is off. A reload may change it.
    func webPushKey() -> String? { service(BrowserPushService.self)?.publicKey }

    /// `true` if the key that browsers need was made at this start.
    var isWebPushKeyNew: Bool { service(BrowserPushService.self)?.isKeyNew ?? false }

    /// Returns the reason why the gateway does not take an address that a client registers; `nil` if it does. Without
    /// the service it takes one that goes to the inbox.
    func refusal(of address: PushAddress) -> SubscriptionRefusal? {
        guard transports.has(address.transport) else {
            let advice = table.service(address.transport)?.outcomes.requirement?.advice
            return .switchedOff(advice ?? "there is no transport \(address.transport.rawValue)")
        }
        let service = services.first { $0.name == address.transport }
        return service?.refusal(of: address).map(SubscriptionRefusal.invalid)
    }

    /// A description of the transports with their present settings, for logs.
    var currentDescription: String { Self.description(of: outward) }

    private var outward: [any PushService] { Self.outward(services) }

    private static func outward(_ services: [any PushService]) -> [any PushService] {
        services.filter { $0.reachesDevices }
    }

    private static func description(of services: [any PushService]) -> String {
        services.map { $0.transport.description }.joined(separator: "; ")
    }

    /// Returns the inbox of the services. A table without one has an inbox that no token leads to.
    private static func emulator(_ services: [any PushService], _ host: PushServiceHost) -> InboxService {
        services.lazy.compactMap { $0 as? InboxService }.first ?? InboxService(settings: InboxSettings(), host: host)
    }
}

extension PushService {
    /// The name of the service's type.
    fileprivate var name: TransportName { Self.name }
    /// The reach of the service's type.
    fileprivate var reachesDevices: Bool { Self.reachesDevices }
}

extension BrowserSubscriptions {
    /// Creates the subscriptions of a gateway.
    ///
    /// - Parameter store: The documents; those for requests refuse new data while the disk is nearly full.
    init(_ configuration: GatewayConfiguration, _ delivery: GatewayDelivery, in store: any DocumentStore) {
        self.init(
            forms: delivery.table.forms, refusal: delivery.refusal, store: store,
            collections: configuration.modules.registrationCollections, now: { .now })
    }
}

extension RegistrationResolver {
    /// Creates the resolver of a gateway, which passes on the tokens that one of its transports sends to.
    init(_ storage: GatewayStorage, _ delivery: GatewayDelivery) {
        let forms = delivery.table.forms
        let relays = delivery.transports.has(forms.otherwise)
        self.init(
            store: storage.admitting, key: RegistrationTokenKey(storage.key.registrationTokens),
            foreignTokens: delivery.isEmulator ? .accept : relays ? .relayed : .refused, forms: forms,
            now: { .now })
    }
}
