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
    /// The precondition of a write that must not undo another; `nil` if the device is not stored yet.
    let precondition: Precondition?
    private(set) var salt: String
    private(set) var keyDigest: String
    private var name: String
    private let registeredAt: Timestamp
    private var lastSeenAt: Timestamp

    init(id: String, name: String, salt: String, keyDigest: String, at time: Timestamp) {
        self.id = id
        self.name = name
        self.salt = salt
        self.keyDigest = keyDigest
        registeredAt = time
        lastSeenAt = time
        precondition = nil
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
        precondition = .updateTime(document.updateTime)
    }

    var fields: Fields {
        [
            Field.name: .string(name), Field.salt: .string(salt), Field.keyDigest: .string(keyDigest),
            Field.registeredAt: .timestamp(registeredAt), Field.lastSeenAt: .timestamp(lastSeenAt),
        ]
    }

    /// Notes a repeated registration, which may change the device's name and token.
    mutating func registerAgain(name: String, salt: String, keyDigest: String, at time: Timestamp) {
        self.name = name
        self.salt = salt
        self.keyDigest = keyDigest
        lastSeenAt = time
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
