import Foundation
import Functions
import PostgreSQLStore
import Settings

extension GatewayConfiguration {
    /// The settings of the document store.
    package struct Store: Hashable, Sendable {
        /// The PostgreSQL database that contains the documents, as a connection string of libpq; `nil` to keep them in
        /// the data directory, in SQLite.
        package var url: RedactedString?
        /// The path of a file with the password, if the string has none.
        package var passwordFile: String?
        /// The number of connections to the database.
        package var connections = 8
        /// The place of files that functions store, such as photos. The default is where the documents are.
        package var files = Place.database
        /// `true` to tell other gateways of commits by `NOTIFY`.
        package var notifies = true
        /// The time within which other gateways over the database take over from one that does not answer.
        package var lease = Duration.seconds(15)

        /// A place for files.
        package enum Place: String, CaseIterable, Sendable {
            case database
            case directory
        }

        /// Creates the default settings.
        package init() {}
    }
}

extension GatewayConfiguration.Store {
    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        connections = try settings.integer("store.connections", in: 2...1_000) ?? connections
        lease = try settings.duration("store.lease") ?? lease
        guard lease >= .seconds(3), lease <= .seconds(10 * 60) else {
            throw settings.problem(
                "store.lease", "“\(settings.string("store.lease") ?? "")” is not a duration from 3s to 10m")
        }
        files = try settings.choice("store.files") ?? files
        notifies = try settings.boolean("store.notify") ?? notifies
        passwordFile = settings.string("store.passwordFile")
        guard let text = settings.string("store.url") else {
            guard passwordFile == nil else {
                throw ConfigurationError(
                    key: "store.passwordFile", problem: "needs store.url, which names the database")
            }
            return
        }
        guard PostgreSQLStoreConfiguration.isConnectionString(text) else {
            throw ConfigurationError(
                key: "store.url",
                problem: "is not a connection string of PostgreSQL, such as "
                    + "postgres://pushgate@db.example.com/pushgate?sslmode=verify-full; without this key, the documents "
                    + "are in the data directory")
        }
        url = RedactedString(text)
    }

    /// Returns the settings of the store's engine; `nil` for SQLite.
    ///
    /// - Throws: `ConfigurationError` if the password's file cannot be read.
    func postgreSQL() throws(ConfigurationError) -> PostgreSQLStoreConfiguration? {
        guard let url else { return nil }
        var configuration = PostgreSQLStoreConfiguration(url: url.value, connections: connections)
        configuration.leaseLength = lease
        configuration.notifies = notifies
        if let passwordFile {
            let file = ConfiguredFile(
                key: "store.passwordFile", path: passwordFile, expected: "the path of a file with the password alone")
            configuration.password = String(decoding: try file.contents(), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
        }
        return configuration
    }
}
