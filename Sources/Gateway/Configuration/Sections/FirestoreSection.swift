package import DocumentStore
package import IPAddresses
package import Settings

/// The settings of Firestore's interface.
package struct FirestoreSection: ConfigurationSection {
    static let name = "firestore"

    /// `true` to serve the interface, `false` not to; `nil` to serve it in emulator mode only.
    package var isEnabled: Bool?
    /// The peers beyond loopback that need no token.
    package var allowedPeers: [AddressRange] = []
    /// The web pages that may call the interface without a token, besides the gateway's own.
    package var allowedOrigins: [AllowedOrigin] = [.loopback]
    /// The indexes of single fields, besides those of the modules.
    package var indexes: [FieldIndex] = []
    /// The databases with an index by each field of each collection.
    package var automaticIndexes: [IndexedDatabase] = []
    /// `true` to log the composite indexes that production would require for queries.
    package var indexWarnings = false

    /// The settings, each declared once.
    package static let settings: [Setting<FirestoreSection>] = [
        Setting(
            "firestore.enabled", optional: \.isEnabled, .boolean(), absent: "`true` in emulator mode only",
            "Serves Firestore's interface"),
        Setting(
            "firestore.allowedPeers", \.allowedPeers, .peers("172.16.0.0/12"),
            "The callers beyond loopback that need no token"),
        Setting(
            "firestore.allowedOrigins", \.allowedOrigins, .origins(),
            "The web pages that may call the interface without a token"),
        Setting(
            "firestore.indexes", \.indexes,
            .list(
                "list of a collection's id, a slash and a field",
                of: "a collection's id, a slash and a field, like users/address.city",
                { FieldIndex(setting: $0) }),
            "The indexes by one field"),
        Setting(
            "firestore.automaticIndexes", \.automaticIndexes,
            .list(
                "list of databases", of: "a project, a project and a database like demo-app/orders, or *",
                { IndexedDatabase($0) }),
            "The databases with an index by each field of each collection"),
        Setting(
            "firestore.indexWarnings", \.indexWarnings, .boolean(),
            "Logs the composite index that production would require for a query"),
    ]

    package init() {}
}

/// An entry of `firestore.automaticIndexes`: databases with an index by each field of each collection.
package enum IndexedDatabase: Hashable, Sendable {
    /// All databases but the gateway's own.
    case all
    case database(DatabaseID)

    /// Reads `*`, a project for its default database, or a project, a slash and a database; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard text != "*" else {
            self = .all
            return
        }
        guard parts.count <= 2,
            let id = try? DatabaseID(checkedProject: parts[0], database: parts.count == 2 ? parts[1] : "(default)"),
            id != .gateway
        else { return nil }
        self = .database(id)
    }

    func covers(_ database: DatabaseID) -> Bool {
        switch self {
        case .all: database != .gateway
        case .database(let indexed): indexed == database
        }
    }
}

extension FieldIndex {
    /// Reads an entry of `firestore.indexes`, such as `users/address.city`; `nil` for any other text.
    fileprivate init?(setting text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, (try? CollectionPath(parts[0])) != nil, let field = try? FieldPath(parsing: parts[1]),
            field != .documentName
        else { return nil }
        self.init(collectionGroup: parts[0], field: field)
    }
}
