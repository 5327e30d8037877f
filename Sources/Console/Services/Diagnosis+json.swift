import DocumentStore
package import JSON
import Messaging

extension Diagnosis {
    /// The diagnosis as JSON. No token is in it.
    package var json: JSONValue {
        var object: JSONObject = [
            "cause": .string(cause.rawValue), "summary": .string(summary), "devices": .array(devices.map(\.json)),
        ]
        if !notes.isEmpty { object["notes"] = .array(notes.map(JSONValue.string)) }
        return .object(object)
    }
}

extension DiagnosedDevice {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "registration": .string(path.description), "registered": .bool(isRegistered),
            "cause": .string(cause.rawValue), "summary": .string(summary),
        ]
        object["system"] = system.map(JSONValue.string)
        object["agent"] = agent.map(JSONValue.string)
        object["transport"] = address.map { .string($0.transport.rawValue) }
        object["topic"] = (address?.app.bundleID).map(JSONValue.string)
        object["environment"] = (address?.app.environment).map(JSONValue.string)
        object["token"] = address.map { .string($0.token.description) }
        object["platform"] = platform.map(JSONValue.string)
        object["registered_at"] = registeredAt.map { .string($0.description) }
        object["last_seen_at"] = lastSeenAt.map { .string($0.description) }
        object["messages"] = .array(notifications.map(\.json))
        return .object(object)
    }
}

extension DiagnosedNotification {
    fileprivate var json: JSONValue {
        let notification = entry.notification
        var object: JSONObject = [
            "id": .string(entry.messageID), "source": .string(entry.source),
            "accepted_at": .string(entry.acceptedAt.description), "state": .string(state),
            "explanation": .string(meaning),
        ]
        object["title"] = entry.title.map(JSONValue.string)
        object["reason"] = reason.map(JSONValue.string)
        object["settled_at"] = notification.settledAt.map { .string($0.description) }
        object["expires_at"] = .string(entry.expiresAt.description)
        return .object(object)
    }
}

extension DiagnosedNotification {
    /// The state in one word.
    package var state: String {
        switch entry.notification.state {
        case .pending: isHeldUp ? "held up" : "waiting"
        case .accepted: "accepted"
        case .superseded: "superseded"
        case .rejected: "rejected"
        }
    }

    /// The push service's own word for a rejection, or for the last failed attempt of a notification that waits.
    package var reason: String? {
        switch entry.notification.state {
        case .rejected(_, let reason): reason
        case .pending: entry.notification.failures.last?.reason
        case .accepted, .superseded: nil
        }
    }
}
