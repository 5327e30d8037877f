import Cryptography
import DocumentStore
import JSON

/// A device with the app, which creates tasks.
///
/// `humanTaskDevices/{id}`: `name`, `salt` and `keyDigest` (of its token), `registeredAt`, `lastSeenAt`
struct TaskDevice: Sendable {
    private enum Field {
        static let name = "name"
        static let salt = "salt"
        static let keyDigest = "keyDigest"
        static let registeredAt = "registeredAt"
        static let lastSeenAt = "lastSeenAt"
    }

    let id: String
    var name: String
    var salt: String
    var keyDigest: String
    let registeredAt: Timestamp
    var lastSeenAt: Timestamp
    /// `nil` if the device is not stored yet.
    let updateTime: Timestamp?

    init(id: String, name: String, salt: String, keyDigest: String, at time: Timestamp) {
        self.id = id
        self.name = name
        self.salt = salt
        self.keyDigest = keyDigest
        registeredAt = time
        lastSeenAt = time
        updateTime = nil
    }

    /// Returns `nil` if the document lacks a required field.
    init?(_ document: Document) {
        guard let name = document[Field.name]?.string, let salt = document[Field.salt]?.string,
            let keyDigest = document[Field.keyDigest]?.string
        else { return nil }
        id = document.path.id
        self.name = name
        self.salt = salt
        self.keyDigest = keyDigest
        registeredAt = document[Field.registeredAt]?.timestamp ?? document.createTime
        lastSeenAt = document[Field.lastSeenAt]?.timestamp ?? document.updateTime
        updateTime = document.updateTime
    }

    var fields: Fields {
        [
            Field.name: .string(name), Field.salt: .string(salt), Field.keyDigest: .string(keyDigest),
            Field.registeredAt: .timestamp(registeredAt), Field.lastSeenAt: .timestamp(lastSeenAt),
        ]
    }

    /// Returns the device with its token, for the response to its registration only.
    func json(token: String) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "mcp_token": .string(token),
            "registered_at": .string(registeredAt.inMilliseconds), "last_seen_at": .string(lastSeenAt.inMilliseconds),
        ]
    }

    func json(_ presence: Presence.Mark?, now: Timestamp) -> JSONValue {
        let seen = max(lastSeenAt, presence?.seenAt ?? lastSeenAt)
        let called = presence?.calledAt
        return [
            "id": .string(id), "name": .string(name), "registered_at": .string(registeredAt.inMilliseconds),
            "last_seen_at": .string(seen.inMilliseconds),
            "last_mcp_call_at": called.map { .string($0.inMilliseconds) } ?? .null,
            "connection_status": .string(ConnectionStatus(lastCall: called, now: now).rawValue),
        ]
    }
}

/// The connection status of an agent, by the time of its last call.
enum ConnectionStatus: String, Sendable {
    case connected
    case recent
    case notConnected = "not_connected"

    init(lastCall: Timestamp?, now: Timestamp) {
        guard let lastCall else {
            self = .notConnected
            return
        }
        switch now - lastCall {
        case ...Duration.seconds(60): self = .connected
        case ...Duration.seconds(300): self = .recent
        default: self = .notConnected
        }
    }
}

/// The tokens with which a device's agents call its endpoints: 48 hexadecimal digits.
///
/// Tokens are derived, not stored. A device's document has a salt of 119 random bits and a digest, and the key is a
/// file beside the database. So a repeated registration returns the same token, and a copy of the documents gives no
/// access by token.
struct MCPTokens: Sendable {
    private static let byteCount = 24

    /// 32 secret bytes.
    let key: [UInt8]

    static func makeSalt() -> String { DocumentPath.randomID() }

    func token(salt: String) -> String {
        HMACSHA256.code(for: Array(salt.utf8), key: key).prefix(Self.byteCount)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func digest(of token: String) -> String { SHA256.hexadecimal(of: token) }
}
