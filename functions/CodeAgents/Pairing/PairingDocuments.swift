import DocumentStore

/// The paths and field names of the documents of pairings.
///
/// - `pairings/{SHA-256 of the code}`: `serverKey`, `cwd`, `agentDisplayName`?, `expiresAt`
/// - `pairedDevices/{SHA-256 of the credential}`: `serverKey`, `cwd`, `agentDisplayName`?, `pairedAt`, `usedAt`,
///   `registration`? (the id of its registration of FCM's interface, which ends with it)
enum PairingDocuments {
    enum Field {
        static let serverKey = "serverKey"
        static let cwd = "cwd"
        static let agentDisplayName = "agentDisplayName"
        static let expiresAt = "expiresAt"
        static let pairedAt = "pairedAt"
        static let usedAt = "usedAt"
    }

    static func codes() throws(StoreError) -> CollectionPath { try CollectionPath("pairings") }
    static func devices() throws(StoreError) -> CollectionPath { try CollectionPath("pairedDevices") }
}
