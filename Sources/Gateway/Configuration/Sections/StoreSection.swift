import Foundation
import Functions
import Instance
import PostgreSQLStore
package import Secrets
package import Settings

/// The settings of the document store.
package struct StoreSection: ConfigurationSection {
    static let name = "store"
    private static let urlKey = "store.url"
    private static let passwordFileKey = "store.passwordFile"

    /// The PostgreSQL database that contains the documents, as a connection string of libpq; `nil` to keep them in the
    /// data directory, in SQLite.
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

    /// The settings, each declared once.
    package static let settings: [Setting<StoreSection>] = [
        Setting(
            urlKey, optional: \.url, .connectionString(), secrecy: .secret,
            "The PostgreSQL database for the documents, in place of a file in the data directory"),
        Setting(passwordFileKey, optional: \.passwordFile, .text("path"), "A file with the password alone"),
        Setting("store.connections", \.connections, .integer(2...1_000), "The connections for reads and commits"),
        Setting(
            "store.lease", \.lease,
            .duration("3s to 10m") { value, text in
                value < .seconds(3) || value > .seconds(10 * 60)
                    ? "“\(text)” is not a duration from 3s to 10m" : nil
            },
            "The time within which other gateways take over from one that does not answer"),
        Setting("store.files", \.files, .choice(), "The place of the photos of human tasks"),
        Setting("store.notify", \.notifies, .boolean(), "Tells other gateways of commits by NOTIFY"),
    ]

    package init() {}

    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        guard url != nil || passwordFile == nil else {
            throw ConfigurationError(
                key: Self.passwordFileKey, problem: "needs \(Self.urlKey), which names the database")
        }
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
                key: Self.passwordFileKey, path: passwordFile, expected: "the path of a file with the password alone",
                hidesPath: true)
            configuration.password = String(decoding: try file.contents(), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
        }
        return configuration
    }
}

extension SettingForm where Value == RedactedString {
    /// A connection string of libpq.
    fileprivate static func connectionString() -> SettingForm<RedactedString> {
        SettingForm<RedactedString>("connection string") { _ in
            "`<redacted>`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard PostgreSQLStoreConfiguration.isConnectionString(text) else {
                throw settings.problem(
                    key,
                    "is not a connection string of PostgreSQL, such as "
                        + "postgres://pushgate@db.example.com/pushgate?sslmode=verify-full; without this key, the "
                        + "documents are in the data directory")
            }
            return RedactedString(text)
        }
    }
}
