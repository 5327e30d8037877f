internal import Cryptography
internal import DocumentStore
internal import JSON

/// A key that was made while the gateway ran, without the key itself.
///
/// `sessionKeys/{the first 20 digits of the digest}`: `name`, `digest` (SHA-256), `prefix` (the key's first 12
/// characters), `scopes`, `rateLimit`?, `createdAt`, `lastUsedAt`?
struct SessionKey: Sendable {
    enum Field {
        static let name = "name"
        static let digest = "digest"
        static let prefix = "prefix"
        static let scopes = "scopes"
        static let rateLimit = "rateLimit"
        static let createdAt = "createdAt"
        static let lastUsedAt = "lastUsedAt"
    }

    let id: String
    let name: String
    let digest: String
    let prefix: String
    let scopes: Set<AccessScope>
    /// The requests it may make a minute; `nil` for any number.
    let rateLimit: Int64?
    let createdAt: Timestamp
    var lastUsedAt: Timestamp?

    private static let prefixLength = 12
    private static let idLength = 20

    init(_ value: GeneratedKey, _ request: KeyRequest, at time: Timestamp) {
        digest = value.digest
        id = Self.id(ofDigest: digest)
        prefix = String(value.text.prefix(Self.prefixLength))
        name = request.name
        scopes = request.scopes
        rateLimit = request.rateLimit
        createdAt = time
    }

    /// `nil` if the document lacks what a key has.
    init?(_ document: Document) {
        guard let name = document[Field.name]?.string, let digest = document[Field.digest]?.string,
            let prefix = document[Field.prefix]?.string, let createdAt = document[Field.createdAt]?.timestamp,
            let scopes = AccessScope.scopes(named: document[Field.scopes]?.array?.compactMap(\.string) ?? [])
        else { return nil }
        id = document.path.id
        self.name = name
        self.digest = digest
        self.prefix = prefix
        self.scopes = scopes
        self.createdAt = createdAt
        rateLimit = document[Field.rateLimit]?.integer
        lastUsedAt = document[Field.lastUsedAt]?.timestamp
    }

    static func id(ofDigest digest: String) -> String { String(digest.prefix(idLength)) }

    var fields: Fields {
        var fields: Fields = [
            Field.name: .string(name), Field.digest: .string(digest), Field.prefix: .string(prefix),
            Field.scopes: .array(scopeNames.map(Value.string)), Field.createdAt: .timestamp(createdAt),
        ]
        fields[Field.rateLimit] = rateLimit.map(Value.integer)
        return fields
    }

    private var scopeNames: [String] { AccessScope.allCases.filter(scopes.contains).map(\.rawValue) }

    // MARK: Answers

    /// The answer to whoever made it, the only one with the key.
    func json(with value: GeneratedKey) -> JSONValue {
        .object(json.appending(["key": .string(value.text)]))
    }

    /// An element of the list.
    var listJSON: JSONValue {
        .object(
            json.appending([
                "key_prefix": .string(prefix), "last_used": lastUsedAt.map { .string($0.description) } ?? .null,
            ]))
    }

    private var json: JSONObject {
        [
            "id": .string(id), "name": .string(name), "scopes": .array(scopeNames.map(JSONValue.string)),
            "created_at": .string(createdAt.description), "rate_limit": rateLimit.map(JSONValue.integer) ?? .null,
        ]
    }
}

extension JSONObject {
    fileprivate func appending(_ members: JSONObject) -> JSONObject {
        members.members.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
