import Cryptography
import DocumentStore

/// The secret by which a sender reaches one address, as the relay stores it. Its holder is the sender; the relay knows
/// no more of who sends.
struct SendSecret: Hashable, Sendable {
    private enum Field {
        static let digest = "digest"
        static let createdAt = "createdAt"
        static let lastUsedAt = "lastUsedAt"
        static let revokedAt = "revokedAt"
    }

    /// The maximum error of the stored time of the last use, because a write for each message would cost too much.
    private static let useResolution = Duration.seconds(60 * 60)

    /// The beginning of the digest, by which the installation tells its secrets apart.
    let id: String
    /// The SHA-256 of the secret's text, in hexadecimal.
    let digest: String
    let createdAt: Timestamp
    private(set) var lastUsedAt: Timestamp?
    /// The time at which the installation revoked it; `nil` if it is good.
    var revokedAt: Timestamp?

    init(_ text: NewSendSecret, at time: Timestamp) {
        self.init(digest: text.digest, createdAt: time)
    }

    private init(digest: String, createdAt: Timestamp) {
        id = Self.id(ofDigest: digest)
        self.digest = digest
        self.createdAt = createdAt
    }

    private static func id(ofDigest digest: String) -> String { String(digest.prefix(16)) }

    /// Returns `true` if this is the secret with a digest, compared in constant time.
    ///
    /// - Parameter other: The SHA-256 of a text, in hexadecimal.
    func hasDigest(_ other: String) -> Bool { ConstantTime.equal(Array(digest.utf8), Array(other.utf8)) }

    /// Returns `true` if the time of a use is to be stored.
    func isStale(at time: Timestamp) -> Bool {
        guard let lastUsedAt else { return true }
        // A time in the future comes from a clock that was later set back.
        return max(time - lastUsedAt, lastUsedAt - time) >= Self.useResolution
    }

    // MARK: The stored form

    /// Returns `nil` if the value is not a secret.
    init?(_ value: Value) {
        guard let fields = value.map, let digest = fields[Field.digest]?.string,
            let createdAt = fields[Field.createdAt]?.timestamp
        else { return nil }
        self.init(digest: digest, createdAt: createdAt)
        lastUsedAt = fields[Field.lastUsedAt]?.timestamp
        revokedAt = fields[Field.revokedAt]?.timestamp
    }

    var value: Value {
        var fields: Fields = [Field.digest: .string(digest), Field.createdAt: .timestamp(createdAt)]
        fields[Field.lastUsedAt] = lastUsedAt.map(Value.timestamp)
        fields[Field.revokedAt] = revokedAt.map(Value.timestamp)
        return .map(fields)
    }

    /// Returns the write that stores the time of a use, and nothing else.
    ///
    /// - Parameter installation: The document with the secret.
    func use(at time: Timestamp, in installation: DocumentPath) -> Write {
        let use: Fields = [Field.lastUsedAt: .timestamp(time)]
        return .update(
            installation, [Installation.Field.secrets: .map([id: .map(use)])],
            mask: [FieldPath(segments: [Installation.Field.secrets, id, Field.lastUsedAt])])
    }
}

/// The text of a new secret, which only one answer contains: 32 random bytes in base64url.
struct NewSendSecret: IssuedSecret {
    let text: String

    init() { text = Base64URL.encode(RandomBytes.generate(32)) }
}
