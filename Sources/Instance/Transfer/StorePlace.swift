import DocumentStore
import PostgreSQLStore
package import Secrets

/// A place for a gateway's documents: a data directory with SQLite, or a database on a PostgreSQL server.
package enum StorePlace: Hashable, Sendable {
    /// The path of a data directory.
    case directory(String)
    /// A connection string of libpq.
    case server(RedactedString)

    /// Reads `sqlite:DIRECTORY`, or a connection string of PostgreSQL.
    package init(_ text: String) throws(GatewayError) {
        let prefix = "sqlite:"
        if text.hasPrefix(prefix), text.count > prefix.count {
            self = .directory(String(text.dropFirst(prefix.count)))
        } else if PostgreSQLStoreConfiguration.isConnectionString(text) {
            self = .server(RedactedString(text))
        } else {
            throw GatewayError(
                "a store is sqlite: with a data directory, such as sqlite:/var/lib/pushgate, or a connection string of "
                    + "PostgreSQL, such as postgres://pushgate@db.example.com/pushgate.")
        }
    }
}

extension StorePlace: CustomStringConvertible {
    /// The place without its secrets.
    package var description: String {
        switch self {
        case .directory(let path): "sqlite:\(path)"
        case .server(let url): PostgreSQLStoreConfiguration.description(of: url.value)
        }
    }
}
