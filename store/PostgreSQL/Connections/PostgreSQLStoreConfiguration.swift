package import DocumentStore

/// The settings of an engine on PostgreSQL.
package struct PostgreSQLStoreConfiguration: Sendable {
    /// The server and its database, as a [connection string of
    /// libpq](https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING). What it leaves out is taken from
    /// libpq's variables and files.
    package var url: String
    /// The number of connections for reads and commits. The default is 8.
    package var connections: Int
    /// The greatest number of commits in one transaction. The default is 256.
    package var maximumGroupSize: Int
    /// Returns `true` for the databases whose earlier states can be read for one hour. The default is all databases but
    /// ``DatabaseID/gateway``.
    package var keepsVersions: @Sendable (DatabaseID) -> Bool
    /// The time between two looks for the commits of other gateways. The default is one second.
    package var pollInterval: Duration
    /// The source of commit times; `nil` for the clock of the server, which is the same for all gateways.
    package var clock: (@Sendable () -> Timestamp)?

    /// Makes settings. Only the connection string has no default.
    package init(
        url: String, connections: Int = 8, maximumGroupSize: Int = 256,
        keepsVersions: @escaping @Sendable (DatabaseID) -> Bool = { $0 != .gateway },
        pollInterval: Duration = .seconds(1), clock: (@Sendable () -> Timestamp)? = nil
    ) {
        self.url = url
        self.connections = connections
        self.maximumGroupSize = maximumGroupSize
        self.keepsVersions = keepsVersions
        self.pollInterval = pollInterval
        self.clock = clock
    }
}
