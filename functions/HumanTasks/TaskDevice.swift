internal import DocumentStore
internal import JSON

/// A phone with the app on it, which asks people for things.
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
    /// nil when it is not stored yet.
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

    /// nil when the document lacks what a device has.
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

    /// To whoever registered it, and nobody else.
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

/// Whether an agent is there, by when it last called.
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
