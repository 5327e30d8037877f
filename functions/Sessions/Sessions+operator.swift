package import DocumentStore
import Logging

/// A key of coding sessions, as the operator sees it.
package struct ListedSessionKey: Sendable {
    /// The id, with which it is revoked.
    package let id: String
    package let name: String
    /// The first characters of the key.
    package let prefix: String
    /// What it may do, such as `read`.
    package let scopes: [String]
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp?
}

/// The keys of coding sessions, for the operator.
extension Sessions {
    /// Returns the keys that were made at run time, oldest first.
    package func listedKeys() async throws(StoreError) -> [ListedSessionKey] {
        try await keys.all().map { key in
            ListedSessionKey(
                id: key.id, name: key.name, prefix: key.prefix, scopes: key.scopes.map(\.rawValue).sorted(),
                createdAt: key.createdAt,
                lastUsedAt: key.lastUsedAt)
        }
    }

    /// Revokes a key.
    ///
    /// - Returns: `true` if a key with that id existed.
    package func revokeKey(_ id: String) async throws(StoreError) -> Bool {
        guard try await keys.revoke(id) else { return false }
        logger.notice("revoked a key", metadata: ["key": "\(id)"])
        return true
    }
}
