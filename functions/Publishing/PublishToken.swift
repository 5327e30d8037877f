import Cryptography
import DocumentStore
import Texts

/// A token of a program that publishes or reads, without its text.
///
/// `publishTokens/{the first 20 digits of the digest}`: `name`, `digest` (SHA-256), `prefix` (the token's first 10
/// characters), `scope` (see ``PublishScope``), `createdAt`, `lastUsedAt`?
struct PublishToken: Sendable {
    enum Field {
        static let name = "name"
        static let digest = "digest"
        static let prefix = "prefix"
        static let scope = "scope"
        static let createdAt = "createdAt"
        static let lastUsedAt = "lastUsedAt"
    }

    let id: String
    let name: String
    let digest: String
    let prefix: String
    let scope: PublishScope
    let createdAt: Timestamp
    var lastUsedAt: Timestamp?

    private static let prefixLength = 10
    private static let idLength = 20

    init(_ value: GeneratedToken, name: String, scope: PublishScope, at time: Timestamp) {
        digest = value.digest
        id = Self.id(ofDigest: digest)
        prefix = String(value.text.prefix(Self.prefixLength))
        self.name = name
        self.scope = scope
        createdAt = time
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let name = document[Field.name]?.string, let digest = document[Field.digest]?.string,
            let prefix = document[Field.prefix]?.string, let createdAt = document[Field.createdAt]?.timestamp,
            let scope = document[Field.scope]?.string.flatMap(PublishScope.init)
        else { return nil }
        id = document.path.id
        self.name = name
        self.digest = digest
        self.prefix = prefix
        self.scope = scope
        self.createdAt = createdAt
        lastUsedAt = document[Field.lastUsedAt]?.timestamp
    }

    static func id(ofDigest digest: String) -> String { String(digest.prefix(idLength)) }

    static func collection() throws(StoreError) -> CollectionPath { try CollectionPath("publishTokens") }
    static func path(_ id: String) throws(StoreError) -> DocumentPath { try collection().document(id) }

    var fields: Fields {
        [
            Field.name: .string(name), Field.digest: .string(digest), Field.prefix: .string(prefix),
            Field.scope: .string(scope.text), Field.createdAt: .timestamp(createdAt),
        ]
    }

    /// The token as the operator sees it.
    var listed: ListedKey {
        ListedKey(
            id: id, name: name, prefix: prefix, scopes: [scope.text], createdAt: createdAt, lastUsedAt: lastUsedAt)
    }
}

/// The text of a token: `push_` and 32 hexadecimal digits.
struct GeneratedToken: IssuedSecret {
    private static let mark = "push_"
    private static let byteCount = 16

    let text: String

    /// Makes a new token.
    ///
    /// - Parameter bytes: Returns the given number of random bytes.
    init(_ bytes: (Int) -> [UInt8] = RandomBytes.generate) {
        text = Self.mark + Hexadecimal.lowercase(bytes(Self.byteCount))
    }

    /// Reads a token from a request. Returns `nil` if it has another form.
    init?(_ credential: BearerCredential) {
        let bytes = credential.value.utf8
        let digits = bytes.dropFirst(Self.mark.utf8.count)
        guard bytes.starts(with: Self.mark.utf8), digits.count == 2 * Self.byteCount,
            digits.allSatisfy(\.isASCIILowercaseHexDigit)
        else { return nil }
        text = credential.value
    }
}
