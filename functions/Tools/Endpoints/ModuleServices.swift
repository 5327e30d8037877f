package import DocumentStore
package import Logging
package import Messaging
package import ServiceLifecycle

/// The services of a gateway that modules use, with its time and random numbers.
package struct ModuleServices: Sendable {
    /// The documents. The store refuses new data while the disk is nearly full.
    package let store: any DocumentStore
    /// The queue of messages to a few devices.
    package let outbox: Outbox
    /// The sender of messages to all devices of a collection.
    package let broadcaster: Broadcaster
    /// The Live Activities of runs; `nil` for none.
    package var cards: Cards?
    /// The recorder of events for programs of the operator; `nil` for none.
    package var events: (any DeliveryEventRecorder)?
    /// The gateway around the module.
    package var host: ModuleHost
    /// The record of devices whose notifications cannot arrive.
    package let troubles: DeviceTroubles
    /// The logger of the module.
    package let logger: Logger
    /// `true` if other gateways may change the documents too.
    package var isShared = false
    /// Returns a cache of the documents below a root collection, which has all commits, or gives the period in which it
    /// has them; `nil` for none.
    package var cache: @Sendable (_ root: String) -> DocumentCache? = { _ in nil }
    /// The clock for waits.
    package var clock: any Clock<Duration> = .continuous
    /// Returns the current time.
    package var now: @Sendable () -> Timestamp = { .now }
    /// Returns random numbers, evenly distributed in 0..<1.
    package var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

    /// Collects the services. Tests replace the clock, the time and the random numbers.
    package init(
        store: any DocumentStore, outbox: Outbox, broadcaster: Broadcaster, host: ModuleHost,
        troubles: DeviceTroubles, isShared: Bool = false, logger: Logger
    ) {
        self.store = store
        self.isShared = isShared
        self.outbox = outbox
        self.broadcaster = broadcaster
        self.host = host
        self.troubles = troubles
        self.logger = logger
    }
}

extension ModuleServices {
    /// Returns the reachability of a system's devices.
    ///
    /// - Parameter system: The system's name in warnings.
    func reach(of system: String) -> DeviceReach {
        DeviceReach(
            system: system, hasTransport: host.hasTransport, reachesDevices: host.reachesDevices, forms: host.forms,
            subscriptions: subscriptions, troubles: troubles)
    }

    /// The subscriptions that clients register in place of tokens.
    var subscriptions: BrowserSubscriptions {
        BrowserSubscriptions(
            forms: host.forms, refusal: host.subscriptionRefusal, store: store,
            collections: host.registrationCollections, now: now)
    }
}

/// The gateway as its modules see it: its version and apps, and what it lends by name.
package struct ModuleHost: Sendable {
    /// The gateway's version.
    package let version: String
    /// Returns `true` unless the address is of an app that the gateway does not send for.
    package let isAppConfigured: @Sendable (PushAddress) -> Bool
    /// Returns `true` if the gateway has the transport, or delivers everything into its inbox.
    package var hasTransport: @Sendable (TransportName) -> Bool
    /// `false` if the gateway delivers everything into its inbox.
    package var reachesDevices: Bool
    /// The forms of the push services' tokens.
    package var forms: TokenForms
    /// Returns the reason why the gateway does not take a subscription's address; `nil` if it does.
    package var subscriptionRefusal: @Sendable (PushAddress) -> SubscriptionRefusal?
    /// The registrations of all modules.
    package var registrationCollections: [RegistrationCollection]
    /// Returns the storage for files in a folder of the data directory.
    package var files: @Sendable (_ folder: String) -> any FileStorage
    /// Returns a client for other sites, which runs as one of the module's services.
    package var fetcher: @Sendable (_ maximumConnectionsPerHost: Int) -> any Fetcher & Service
    /// Returns 32 secret bytes for one purpose, the same after each start.
    package var secret: @Sendable (_ purpose: String) -> [UInt8]
    /// The address at which phones reach the gateway, without a slash at its end; `nil` if it is not configured.
    package var publicURL: String?
    /// Returns the public key that browsers need to subscribe; `nil` if Web Push is off.
    package var webPushKey: @Sendable () -> String?

    package init(
        version: String, isAppConfigured: @escaping @Sendable (PushAddress) -> Bool,
        hasTransport: @escaping @Sendable (TransportName) -> Bool = { _ in true }, reachesDevices: Bool = true,
        forms: TokenForms = .standard,
        subscriptionRefusal: @escaping @Sendable (PushAddress) -> SubscriptionRefusal? = { _ in nil },
        registrationCollections: [RegistrationCollection] = [],
        files: @escaping @Sendable (_ folder: String) -> any FileStorage,
        fetcher: @escaping @Sendable (_ maximumConnectionsPerHost: Int) -> any Fetcher & Service,
        secret: @escaping @Sendable (_ purpose: String) -> [UInt8], publicURL: String? = nil,
        webPushKey: @escaping @Sendable () -> String? = { nil }
    ) {
        self.version = version
        self.isAppConfigured = isAppConfigured
        self.hasTransport = hasTransport
        self.reachesDevices = reachesDevices
        self.forms = forms
        self.subscriptionRefusal = subscriptionRefusal
        self.registrationCollections = registrationCollections
        self.files = files
        self.fetcher = fetcher
        self.secret = secret
        self.publicURL = publicURL
        self.webPushKey = webPushKey
    }
}
