import DocumentStore
import Logging

/// The keys of coding sessions, for the operator.
extension Sessions {
    package var keyList: KeyList? {
        KeyList(
            system: Self.name, id: Self.source,
            origin: "Besides those of the settings; <code>pushgate sessions keys create</code> makes them.",
            keys: listedKeys, revoke: revokeKey)
    }

    /// Returns the keys that were made at run time, oldest first.
    @Sendable private func listedKeys() async throws(StoreError) -> [ListedKey] {
        try await keys.all().map { key in
            ListedKey(
                id: key.id, name: key.name, prefix: key.prefix, scopes: key.scopes.map(\.rawValue).sorted(),
                createdAt: key.createdAt, lastUsedAt: key.lastUsedAt)
        }
    }

    @Sendable private func revokeKey(_ id: String) async throws(StoreError) -> Bool {
        guard try await keys.revoke(id) else { return false }
        logger.notice("revoked a key", metadata: ["key": "\(id)"])
        return true
    }
}
