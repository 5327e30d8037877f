import Cryptography
import DocumentStore
import JSON
import Messaging

/// An event as its receivers get it: `{"type", "timestamp", "data"}`.
struct WebhookEvent: Sendable {
    let type: String
    /// The id, which is the same for all targets and attempts, and sorts by time.
    let id: String
    let body: String
    let createdAt: Timestamp

    /// - Parameters:
    ///   - isCommon: `true` if other gateways may record the same event.
    ///   - secrets: The collections at the root whose ids are credentials.
    init(_ event: DeliveryEvent, at time: Timestamp, isCommon: Bool, hiding secrets: Set<String>) {
        let kind = event.webhookKind
        createdAt = time
        type = kind.rawValue
        id = isCommon ? event.commonID(at: time) : DocumentPath.timeOrderedID(at: time)
        body = Self.body(type, time, event.data(hiding: secrets))
    }

    /// Makes the event that tries a webhook.
    init(testAt time: Timestamp) {
        createdAt = time
        type = WebhookEventKind.test
        id = DocumentPath.timeOrderedID(at: time)
        body = Self.body(type, time, ["text": "This webhook works."])
    }

    private static func body(_ type: String, _ time: Timestamp, _ data: JSONObject) -> String {
        JSONValue.object([
            "type": .string(type), "timestamp": .string(time.description), "data": .object(data),
        ]).text
    }

    /// Returns a write that puts the event into the queue of a target.
    ///
    /// - Parameter isOnlyNew: `true` if the commit is to fail if the event is there already.
    func write(for target: String, isOnlyNew: Bool) throws(StoreError) -> Write {
        let path = try WebhookDocuments.events(of: target).document(id)
        typealias Field = WebhookDocuments.Field
        let fields: Fields = [
            Field.type: .string(type), Field.body: .string(body), Field.createdAt: .timestamp(createdAt),
        ]
        return isOnlyNew ? .create(path, fields) : .set(path, fields)
    }
}

extension DeliveryEvent {
    var webhookKind: WebhookEventKind {
        switch self {
        case .settled: .settled
        case .receipts: .receipts
        case .invalidTokens: .invalidTokens
        case .heldUp: .heldUp
        case .resumed: .resumed
        case .decided: .decided
        }
    }

    /// Returns the event as several, each with a number of notifications or tokens at most.
    func parts(of count: Int) -> [DeliveryEvent] {
        switch self {
        case .settled(let message, let lane, let notifications) where notifications.count > count:
            notifications.parts(of: count).map { .settled(message, lane, $0) }
        case .invalidTokens(let lane, let tokens) where tokens.count > count:
            tokens.parts(of: count).map { .invalidTokens(lane, $0) }
        case .settled, .receipts, .invalidTokens, .heldUp, .resumed, .decided: [self]
        }
    }

    /// The time in which several gateways that observe the same make one event.
    private static let commonMicroseconds: Int64 = 15 * 60 * 1_000_000

    /// Returns the start of the time in which several gateways make one event.
    static func commonStart(at time: Timestamp) -> Timestamp {
        Timestamp(microseconds: time.microseconds / commonMicroseconds * commonMicroseconds)
    }

    /// Returns an id that sorts by time, the same on all gateways that observe the same.
    fileprivate func commonID(at time: Timestamp) -> String {
        guard case .heldUp(let lane, _, let reason) = self else { return DocumentPath.timeOrderedID(at: time) }
        let start = Self.commonStart(at: time)
        // Several gateways may notice it in different environments of the app.
        let app = [lane.transport.rawValue, lane.app.bundleID ?? "", reason].joined(separator: " ")
        var generator = DigestGenerator("\(app) \(start)")
        return DocumentPath.timeOrderedID(at: start, using: &generator)
    }

    fileprivate func data(hiding secrets: Set<String>) -> JSONObject {
        switch self {
        case .settled(let message, let lane, let notifications):
            return lane.json.adding([
                "message": .string(message.id), "source": .string(message.source),
                "notifications": .array(notifications.map { $0.json(hiding: secrets) }),
            ])
        case .receipts(let message, let counts):
            return [
                "message": .string(message.id), "source": .string(message.source),
                "delivered": .integer(Int64(counts.delivered)), "opened": .integer(Int64(counts.opened)),
            ]
        case .invalidTokens(let lane, let tokens):
            return lane.json.adding(["tokens": .array(tokens.map { $0.json(hiding: secrets) })])
        case .heldUp(let lane, let failure, let reason):
            return lane.json.adding(["cause": .string(failure.webhookName), "reason": .string(reason)])
        case .resumed(let lane): return lane.json
        case .decided(let decision): return decision.json
        }
    }
}

extension Array {
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

extension DeliveryEvent.ApprovalDecision {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["approval_id": .string(approval), "run_id": .string(run)]
        object["server_id"] = server.map(JSONValue.string)
        object["decision"] = .string(decision)
        object["decided_at"] = .integer(decidedAt.seconds)
        return object
    }
}

extension Lane {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["service": .string(transport.rawValue)]
        object["app"] = app.bundleID.map(JSONValue.string)
        object["environment"] = app.environment.map(JSONValue.string)
        return object
    }
}

extension LaneFailure {
    fileprivate var webhookName: String {
        switch self {
        case .refused: "refused"
        case .unreachable: "unreachable"
        }
    }
}

extension Target {
    /// Returns the digest of the token, and the registration: the token itself leaves the gateway only for its push
    /// service, and a registration whose id is a credential does not leave it.
    fileprivate func json(hiding secrets: Set<String>) -> JSONObject {
        var object: JSONObject = ["token_sha256": .string(SHA256.hexadecimal(of: address.token.canonical.value))]
        guard let registration, !registration.isBelow(anyOf: secrets) else { return object }
        object["registration"] = .string(registration.description)
        return object
    }
}

extension DeliveryEvent.SettledNotification {
    fileprivate func json(hiding secrets: Set<String>) -> JSONValue {
        let end: JSONObject =
            switch outcome {
            case .accepted: ["outcome": "accepted"]
            case .superseded: ["outcome": "superseded"]
            case .rejected(let code, let reason):
                ["outcome": "rejected", "code": .string(code), "reason": .string(reason)]
            }
        let start: JSONObject = ["id": .string(id.description)]
        return .object(start.adding(target.json(hiding: secrets)).adding(end))
    }
}

extension DeliveryEvent.InvalidToken {
    fileprivate func json(hiding secrets: Set<String>) -> JSONValue {
        var object = target.json(hiding: secrets)
        switch invalidation {
        case .unregistered(let since):
            object["cause"] = "unregistered"
            object["since"] = since.map { .string($0.description) }
        case .unrecognized: object["cause"] = "unrecognized"
        }
        return .object(object)
    }
}

extension JSONObject {
    fileprivate func adding(_ members: JSONObject) -> JSONObject {
        members.members.reduce(into: self) { $0[$1.name] = $1.value }
    }
}

/// Numbers from the digest of a text, the same wherever they are made.
private struct DigestGenerator: RandomNumberGenerator {
    private let text: String
    private var count = 0

    init(_ text: String) { self.text = text }

    mutating func next() -> UInt64 {
        count += 1
        return SHA256.digest(of: "\(count) \(text)".utf8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
