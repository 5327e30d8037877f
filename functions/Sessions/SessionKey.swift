import Cryptography
import DocumentStore
import JSON
import Messaging
import Texts

/// A key that was created through the API, without its text.
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
    /// The maximum number of requests per minute; `nil` for no limit.
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

    /// Returns `nil` if the document lacks a required field.
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

    // MARK: Responses

    /// Returns the response to the key's creation, the only one that contains the key's text.
    func json(with value: GeneratedKey) -> JSONValue {
        .object(json.appending(["key": .string(value.text)]))
    }

    /// An element of the list of keys.
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

/// The text of a key: `claud_` and 32 hexadecimal digits.
struct GeneratedKey: IssuedSecret {
    static let mark = "claud_"
    private static let byteCount = 16

    let text: String

    /// Makes a new key.
    ///
    /// - Parameter bytes: Returns the given number of random bytes.
    init(_ bytes: (Int) -> [UInt8] = RandomBytes.generate) {
        text = Self.mark + Hexadecimal.lowercase(bytes(Self.byteCount))
    }

    /// Reads a key from a request. Returns `nil` if it has another form.
    init?(_ credential: BearerCredential) {
        guard Self.isWellFormed(credential.value) else { return nil }
        text = credential.value
    }

    static func isWellFormed(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst(mark.utf8.count)
        return text.utf8.starts(with: mark.utf8) && digits.count == 2 * byteCount
            && digits.allSatisfy(\.isASCIILowercaseHexDigit)
    }
}

/// A request to create a key: `{name, scopes, rate_limit?}`.
struct KeyRequest: Sendable {
    let name: String
    let scopes: Set<AccessScope>
    let rateLimit: Int64?

    init(_ object: JSONObject) throws(SessionsError) {
        guard let name = LooseFields(object).text("name", atMost: LooseFields.longestName) else {
            throw .badRequest("name is required")
        }
        self.name = name
        scopes = try Self.scopes(object["scopes"])
        rateLimit = try Self.rateLimit(object["rate_limit"])
    }

    private static func scopes(_ value: JSONValue?) throws(SessionsError) -> Set<AccessScope> {
        guard let elements = value?.array, case let names = elements.compactMap(\.string),
            names.count == elements.count, let scopes = AccessScope.scopes(named: names)
        else { throw .badRequest(#"scopes must be a list of "read", "write" or both"#) }
        return scopes
    }

    private static func rateLimit(_ value: JSONValue?) throws(SessionsError) -> Int64? {
        guard let value, value != .null else { return nil }
        guard let limit = value.integer, limit > 0 else {
            throw .badRequest("rate_limit must be a whole number, 1 or more")
        }
        return limit
    }
}
