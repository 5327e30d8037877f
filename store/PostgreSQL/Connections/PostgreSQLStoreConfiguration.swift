import CPostgreSQL
package import DocumentStore

/// The settings of an engine on PostgreSQL.
package struct PostgreSQLStoreConfiguration: Sendable {
    /// The server and its database, as a [connection string of
    /// libpq](https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING). What it leaves out is taken from
    /// libpq's variables and files.
    package var url: String
    /// The password, if neither the connection string nor libpq's variables and files have one.
    package var password: String?
    /// The number of connections for reads and commits. The default is 8.
    package var connections: Int
    /// The indexes of the gateway's queries. Opening makes those that the server does not have; none is dropped,
    /// because another gateway may use it.
    package var fieldIndexes: [FieldIndex]
    /// Returns `true` for the databases with an index by each field of each collection. The default is no database.
    package var indexesFields: @Sendable (DatabaseID) -> Bool
    /// The greatest number of commits in one transaction. The default is 256.
    package var maximumGroupSize: Int
    /// The time after which a transaction takes no more commits, so that others need not wait for all of them. The
    /// default is 100 ms.
    package var maximumGroupTime: Duration
    /// Returns `true` for the databases whose earlier states can be read for one hour. The default is all databases but
    /// ``DatabaseID/gateway``.
    package var keepsVersions: @Sendable (DatabaseID) -> Bool
    /// `true` if the engine is a member of those that share the databases; see ``Membership``. The default is `false`.
    package var isMember: Bool
    /// The name of the member that an earlier process was, whose work goes on here; `nil` if it is not known.
    package var formerMember: String?
    /// The time within which other members take over from one that does not answer. The default is 15 s.
    package var leaseLength: Duration
    /// The time for which ``QueryResults`` can be read. The server keeps old rows as long as one state is read. The
    /// default is 270 seconds.
    package var resultLifetime: Duration
    /// The time between two looks for the commits of other gateways. The default is one second.
    package var pollInterval: Duration
    /// `true` to tell other gateways of commits by `NOTIFY`, so that they look at once. Servers that are not PostgreSQL
    /// itself may not have it. The default is `true`.
    package var notifies: Bool
    /// The source of commit times; `nil` for the clock of the server, which is the same for all gateways.
    package var clock: (@Sendable () -> Timestamp)?

    /// Makes settings. Only the connection string has no default.
    package init(
        url: String, connections: Int = 8, fieldIndexes: [FieldIndex] = [],
        indexesFields: @escaping @Sendable (DatabaseID) -> Bool = { _ in false }, maximumGroupSize: Int = 256,
        maximumGroupTime: Duration = .milliseconds(100),
        keepsVersions: @escaping @Sendable (DatabaseID) -> Bool = { $0 != .gateway },
        isMember: Bool = false, leaseLength: Duration = .seconds(15), resultLifetime: Duration = .seconds(270),
        pollInterval: Duration = .seconds(1), notifies: Bool = true,
        clock: (@Sendable () -> Timestamp)? = nil
    ) {
        self.url = url
        self.connections = connections
        self.fieldIndexes = fieldIndexes
        self.indexesFields = indexesFields
        self.maximumGroupSize = maximumGroupSize
        self.maximumGroupTime = maximumGroupTime
        self.keepsVersions = keepsVersions
        self.isMember = isMember
        self.leaseLength = leaseLength
        self.resultLifetime = resultLifetime
        self.pollInterval = pollInterval
        self.notifies = notifies
        self.clock = clock
    }
}

extension PostgreSQLStoreConfiguration {
    /// Returns a text for people that names the servers and the database, without secrets.
    package static func description(of url: String) -> String {
        let values = values(in: url)
        let key = values["host"] == nil ? "hostaddr" : "host"
        let places = hosts(in: url).map { host in [host[key], host["port"]].compactMap(\.self).joined(separator: ":") }
        return "postgres://\(places.joined(separator: ","))/\(values["dbname"] ?? "")"
    }

    /// Returns the keywords of each host of a connection string, with their values.
    static func hosts(in url: String) -> [[String: String]] {
        let values = values(in: url).filter { ["host", "hostaddr", "port"].contains($0.key) }
        let lists = values.mapValues { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        return (0..<(lists.values.map(\.count).max() ?? 0)).map { number in
            // One port is that of all hosts.
            var host = lists.compactMapValues { $0.count > number ? $0[number] : $0.count == 1 ? $0[0] : nil }
            if host["port"] == "" { host["port"] = "5432" }
            return host
        }
    }

    private static func values(in url: String) -> [String: String] {
        let options = PQconninfoParse(url, nil)
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option?.pointee.keyword {
            values[String(cString: keyword)] = option?.pointee.val.map { String(cString: $0) }
            option = option?.successor()
        }
        return values
    }

    /// Returns `true` if libpq can read the text as a URL or as a list of keywords and values.
    package static func isConnectionString(_ text: String) -> Bool {
        // libpq takes any other text for the name of a database.
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") || text.contains("=") else {
            return false
        }
        var problem: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &problem)
        defer {
            PQconninfoFree(options)
            PQfreemem(problem)
        }
        return options != nil
    }
}
