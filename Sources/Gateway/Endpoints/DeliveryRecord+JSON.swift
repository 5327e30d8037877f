internal import DocumentStore
internal import JSON
internal import Messaging

extension DeliveryRecord {
    /// The message and how many of its notifications are in which state.
    var summary: JSONValue { .object(summaryObject) }

    /// As ``summary``, with a page of notifications.
    var json: JSONValue {
        var object = summaryObject
        object["notifications"] = .array(notifications.map(\.json))
        object["next_page"] = nextPage.map { .integer(Int64($0)) }
        return .object(object)
    }

    private var summaryObject: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "source": .string(source), "accepted_at": .string(acceptedAt.description),
            "expires_at": .string(expiresAt.description), "targets": .integer(Int64(targets)),
            "accepted": .integer(Int64(accepted)), "pending": .integer(Int64(pending)),
        ]
        object["title"] = message.notification?.title.map(JSONValue.string)
        let rejected = rejected.sorted { $0.key.rawValue < $1.key.rawValue }
        object["rejected"] = .object(
            JSONObject(rejected.map { ("messaging/\($0.key.rawValue)", .integer(Int64($0.value))) }))
        return object
    }
}

extension NotificationRecord {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["apns_id": .string(id.description), "transport": .string(lane.transport.rawValue)]
        object["topic"] = lane.topic.map(JSONValue.string)
        object["environment"] = lane.environment.map { .string($0.rawValue) }
        object["registration"] = registration.map { .string($0.description) }
        switch state {
        case .pending(let dueAt):
            object["state"] = "pending"
            object["due_at"] = .string(dueAt.description)
        case .accepted: object["state"] = "accepted"
        case .rejected(let code, let reason):
            object["state"] = "rejected"
            object["code"] = .string("messaging/\(code.rawValue)")
            object["reason"] = .string(reason)
        }
        object["settled_at"] = settledAt.map { .string($0.description) }
        if !failures.isEmpty { object["failures"] = .array(failures.map(\.json)) }
        return .object(object)
    }
}

extension NotificationRecord.Failure {
    fileprivate var json: JSONValue {
        [
            "at": .string(at.description), "code": .string("messaging/\(code.rawValue)"),
            "reason": .string(reason),
        ]
    }
}
