import DocumentStore
import JSON

/// An accepted message: the data that all its chunks share.
struct AcceptedMessage: Sendable {
    let id: String
    var message: Message
    let source: String
    /// The owner whose share of the settled messages this one counts towards.
    let owner: String
    /// The JSON of ``message``.
    let text: String
    let registrationFields: RegistrationFields
    let acceptedAt: Timestamp
    let expiresAt: Timestamp
    /// The number of the project that sends; see ``Draft``.
    var senderID: String?

    /// The condition that selects the targets, if there is one.
    var condition: String?
    /// The counter that the badge shows at each attempt, if there is one.
    var badge: BadgeCounter?

    var targetCount = 0
    var chunkCount = 0

    var identity: FCMIdentity? { senderID.map { FCMIdentity(messageID: id, senderID: $0) } }
}

extension AcceptedMessage {
    var fields: Fields {
        // Those of a chunk are added to most.
        var fields = Fields(minimumCapacity: 24)
        fields["message"] = .string(text)
        fields[OutboxDocuments.source] = .string(source)
        fields[OutboxDocuments.owner] = .string(owner)
        fields["tokenField"] = .string(registrationFields.token)
        fields[OutboxDocuments.acceptedAt] = .timestamp(acceptedAt)
        fields["expiresAt"] = .timestamp(expiresAt)
        fields["targetCount"] = .integer(Int64(targetCount))
        fields["chunkCount"] = .integer(Int64(chunkCount))
        fields["environmentField"] = registrationFields.environment.map(Value.string)
        fields["registeredAtField"] = registrationFields.registeredAt.map(Value.string)
        fields["senderId"] = senderID.map(Value.string)
        fields["condition"] = condition.map(Value.string)
        fields["badge"] = badge?.value
        return fields
    }

    init(document: Document) throws(UnreadableOutboxDocument) {
        guard let text = document["message"]?.string, let json = try? JSONValue(parsing: text),
            let source = document[OutboxDocuments.source]?.string, let tokenField = document["tokenField"]?.string,
            let acceptedAt = document[OutboxDocuments.acceptedAt]?.timestamp,
            let expiresAt = document["expiresAt"]?.timestamp
        else { throw UnreadableOutboxDocument(path: document.path) }
        self.init(
            id: document.path.id, message: Message(json: json), source: source,
            owner: document[OutboxDocuments.owner]?.string ?? source, text: text,
            registrationFields: RegistrationFields(
                token: tokenField, environment: document["environmentField"]?.string,
                registeredAt: document["registeredAtField"]?.string),
            acceptedAt: acceptedAt, expiresAt: expiresAt, senderID: document["senderId"]?.string,
            condition: document["condition"]?.string, targetCount: Int(document["targetCount"]?.integer ?? 0),
            chunkCount: Int(document["chunkCount"]?.integer ?? 0))
        badge = document["badge"].flatMap(BadgeCounter.init)
    }
}
