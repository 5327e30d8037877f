public import DocumentStore
public import Logging
public import Messaging
public import ServiceLifecycle

/// The services of a gateway that modules use.
public struct ModuleServices: Sendable {
    /// The documents. The store refuses new data while the disk is nearly full.
    public let store: any DocumentStore
    /// The queue of messages to a few devices.
    public let outbox: Outbox
    /// The sender of messages to all devices of a collection.
    public let broadcaster: Broadcaster
    /// The gateway's version.
    public let version: String
    public let logger: Logger
    /// Returns `true` if the gateway sends for the app with that bundle id.
    public let isAppConfigured: @Sendable (_ bundleID: String) -> Bool
    /// Returns the storage for files in a folder of the data directory.
    public let files: @Sendable (_ folder: String) -> any FileStorage
    /// Returns a client for other sites, which runs as one of the module's services.
    public let fetcher: @Sendable (_ maximumConnectionsPerHost: Int) -> any Fetcher & Service
    /// Returns 32 secret bytes for one purpose, the same after each start.
    public let secret: @Sendable (_ purpose: String) -> [UInt8]

    /// Collects the services.
    public init(
        store: any DocumentStore, outbox: Outbox, broadcaster: Broadcaster, version: String, logger: Logger,
        isAppConfigured: @escaping @Sendable (_ bundleID: String) -> Bool,
        files: @escaping @Sendable (_ folder: String) -> any FileStorage,
        fetcher: @escaping @Sendable (_ maximumConnectionsPerHost: Int) -> any Fetcher & Service,
        secret: @escaping @Sendable (_ purpose: String) -> [UInt8]
    ) {
        self.store = store
        self.outbox = outbox
        self.broadcaster = broadcaster
        self.version = version
        self.logger = logger
        self.isAppConfigured = isAppConfigured
        self.files = files
        self.fetcher = fetcher
        self.secret = secret
    }
}
