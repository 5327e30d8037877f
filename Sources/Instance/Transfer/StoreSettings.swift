package import PostgreSQLStore
package import Secrets

/// The settings with which a copy opens its stores.
package struct StoreSettings: Sendable {
    let engines: EngineSettings
    /// `true` to back up a database before opening it updates its tables.
    let backsUpBeforeUpgrade: Bool
    /// The time after which a gateway that does not renew its place in a shared database is gone.
    let lease: Duration
    /// The path of the data directory with the files of a store on a server; `nil` if they are in its database.
    let filesPath: String?
    /// The names of all file storages.
    let storages: [String]
    /// Returns the settings of an engine on a server.
    let server: @Sendable (_ url: RedactedString) throws -> PostgreSQLStoreConfiguration

    /// Collects the settings.
    ///
    /// - Parameters:
    ///   - backsUpBeforeUpgrade: `true` to back up a database before opening it updates its tables.
    ///   - lease: The time after which a gateway that does not renew its place in a shared database is gone.
    ///   - filesPath: The path of the data directory with the files of a store on a server; `nil` if they are in its
    ///     database.
    ///   - storages: The names of all file storages.
    ///   - server: Returns the settings of an engine on a server.
    package init(
        engines: EngineSettings, backsUpBeforeUpgrade: Bool, lease: Duration, filesPath: String?, storages: [String],
        server: @escaping @Sendable (_ url: RedactedString) throws -> PostgreSQLStoreConfiguration
    ) {
        self.engines = engines
        self.backsUpBeforeUpgrade = backsUpBeforeUpgrade
        self.lease = lease
        self.filesPath = filesPath
        self.storages = storages
        self.server = server
    }
}
