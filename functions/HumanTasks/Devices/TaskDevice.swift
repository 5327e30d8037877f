import Cryptography
import DocumentStore
import Foundation
import HTTPTypes
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

/// The devices that a request identifies.
private struct Callers {
    /// The device of the request's token.
    let agents: TaskDevice?
    /// The device that the header names.
    let named: TaskDevice?
    /// `true` if the header names no device.
    let isNameMissing: Bool

    var device: TaskDevice? { agents ?? named }

    /// The error if there is no device.
    var refusal: HumanTasksError { isNameMissing ? .missingDevice : .unknownDevice }
}

/// The identification of callers, which send a device's token or its id.
extension HumanTasks {
    private static let deviceHeader = HTTPField.Name("X-Device-ID")

    /// Returns the calling device and records the call.
    func device(calling request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard let device = callers.device else { throw callers.refusal }
        return device
    }

    /// Returns the calling device where none is required; `nil` if the request identifies none.
    func optionalDevice(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        try await callers(of: request).device
    }

    /// Returns the device in the path, if the caller is that device. The caller proves it by the token, or by sending
    /// the path's id in the header.
    func ownDevice(of request: FunctionRequest) async throws -> TaskDevice {
        let callers = try await callers(of: request)
        guard callers.device != nil else { throw callers.refusal }
        guard let device = try await device(request.parameters["device"] ?? "") else {
            throw HumanTasksError.deviceNotFound
        }
        guard device.id == callers.agents?.id || device.id == callers.named?.id else {
            throw HumanTasksError.anotherDevice
        }
        return device
    }

    /// Reads the devices of a request and records the call.
    private func callers(of request: FunctionRequest) async throws(StoreError) -> Callers {
        let agents = try await agent(calling: request)
        if let agents { presence.note(agents.id, isAgent: true) }
        let name = Self.deviceHeader.flatMap { request.headerFields[$0] }?.trimmingWhitespace() ?? ""
        let named = try await device(name)
        if let named, agents == nil { presence.note(named.id, isAgent: false) }
        return Callers(agents: agents, named: named, isNameMissing: name.isEmpty)
    }

    /// Returns the device of the request's token, or `nil` if there is none.
    private func agent(calling request: FunctionRequest) async throws(StoreError) -> TaskDevice? {
        guard let key = BearerCredential(authorization: request.headerFields[.authorization]) else { return nil }
        let path = try HumanTasksDocuments.key(MCPTokens.digest(of: key.value))
        guard let id = try await store.document(at: path)?[HumanTasksDocuments.deviceID]?.string else { return nil }
        return try await device(id)
    }

    /// Returns the device with that id, or `nil` if there is none.
    func device(_ id: String) async throws(StoreError) -> TaskDevice? {
        guard let id = UUID(uuidString: id)?.uuidString.lowercased() else { return nil }
        return try await store.document(at: try HumanTasksDocuments.device(id)).flatMap(TaskDevice.init)
    }
}
