import DocumentStore
import JSON

/// An accepted message: the data that all its chunks share. It is a class, because each step of a chunk would copy all
/// its parts.
final class AcceptedMessage: Sendable {
    let id: String
    /// The path of its document.
    let path: DocumentPath
    let message: Message
    let source: String
    /// The owner whose share of the settled messages this one counts towards.
    let owner: String
    /// The JSON of ``message``.
    let text: String
    let registrationFields: RegistrationFields
    let acceptedAt: Timestamp
    let expiresAt: Timestamp
    /// The number of the project that sends; see ``Draft``.
    let senderID: String?

    /// The condition that selects the targets, if there is one.
    let condition: String?
    /// The counter that the badge shows at each attempt, if there is one.
    let badge: BadgeCounter?

    let targetCount: Int
    let chunkCount: Int

    init(
        id: String, message: Message, source: String, owner: String, text: String,
        registrationFields: RegistrationFields, acceptedAt: Timestamp, expiresAt: Timestamp, senderID: String? = nil,
        condition: String? = nil, badge: BadgeCounter? = nil, targetCount: Int = 0, chunkCount: Int = 0
    ) {
        self.id = id
        // An id is that of a document, or was made for one.
        path = DocumentPath(unchecked: PathText.joined(OutboxDocuments.messages, id))
        self.message = message
        self.source = source
        self.owner = owner
        self.text = text
        self.registrationFields = registrationFields
        self.acceptedAt = acceptedAt
        self.expiresAt = expiresAt
        self.senderID = senderID
        self.condition = condition
        self.badge = badge
        self.targetCount = targetCount
        self.chunkCount = chunkCount
    }

    var identity: FCMIdentity? { senderID.map { FCMIdentity(messageID: id, senderID: $0) } }
}

extension AcceptedMessage {
    var fields: Fields {
        // Those of a chunk are added to most.
        var fields = Fields(minimumCapacity: 20)
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

    convenience init(document: Document) throws(UnreadableOutboxDocument) {
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
            condition: document["condition"]?.string, badge: document["badge"].flatMap(BadgeCounter.init),
            targetCount: Int(document["targetCount"]?.integer ?? 0),
            chunkCount: Int(document["chunkCount"]?.integer ?? 0))
    }

    /// Returns the same message with another badge, which is shown and not stored.
    func showing(badge number: Int64) -> AcceptedMessage {
        var shown = message
        shown.replaceBadge(by: number)
        return AcceptedMessage(
            id: id, message: shown, source: source, owner: owner, text: text, registrationFields: registrationFields,
            acceptedAt: acceptedAt, expiresAt: expiresAt, senderID: senderID, condition: condition, badge: badge,
            targetCount: targetCount, chunkCount: chunkCount)
    }
}
