import DocumentStore
import JSON
import Logging

/// The keys of coding sessions, for the operator.
extension Sessions {
    private static let scopeForms = "read, write, or read,write"

    package var keyList: KeyList? {
        var list = KeyList(
            system: Self.name, id: Self.source,
            origin: "Besides those of the settings; <code>pushgate sessions keys create</code> makes them too.",
            keys: listedKeys, revoke: revokeKey)
        list.making = KeyMaking(scopes: Self.scopeForms, words: AccessScope.allCases.map(\.rawValue), make: makeKey)
        return list
    }

    @Sendable private func makeKey(_ name: String, _ scope: String) async throws -> MadeKey {
        let scopes = scope.split(separator: ",").map { JSONValue.string($0.trimmingWhitespace()) }
        let request: KeyRequest
        do throws(SessionsError) {
            request = try KeyRequest(["name": .string(name), "scopes": .array(scopes)])
        } catch {
            throw KeyProblem("a key has a name, and at least one right: \(Self.scopeForms)")
        }
        let (key, value) = try await keys.create(request)
        logger.notice("created a key", metadata: ["key": "\(key.id)", "name": "\(key.name)"])
        return MadeKey(key: key.listed, value: value)
    }

    /// Returns the keys that were made at run time, oldest first.
    @Sendable private func listedKeys() async throws(StoreError) -> [ListedKey] { try await keys.all().map(\.listed) }

    @Sendable private func revokeKey(_ id: String) async throws(StoreError) -> Bool {
        guard try await keys.revoke(id) else { return false }
        logger.notice("revoked a key", metadata: ["key": "\(id)"])
        return true
    }
}

extension SessionKey {
    fileprivate var listed: ListedKey {
        ListedKey(
            id: id, name: name, prefix: prefix, scopes: scopes.map(\.rawValue).sorted(), createdAt: createdAt,
            lastUsedAt: lastUsedAt)
    }
}
