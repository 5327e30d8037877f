package import DocumentStore
import JSON

/// A message that is to be accepted at a later time, or one for which that time has come.
///
/// `scheduledMessages/{id}`, while it waits: `deliverAt`, `scheduledAt`, `message` (FCM's JSON as text), `source`,
/// `owner`, `tokenField`, `environmentField`?, `registeredAtField`?, `senderId`?, `lifetime`? (in microseconds),
/// `badge`? (see ``BadgeCounter``), `withdrawnIds`?, and the recipients: `condition`, or `targets`, an array of maps
/// with `registration` (a path), or with `transport`, `token`, `bundleId`?, `environment`? and `addressAttributes`?.
/// The commit that accepts the message leaves only `enteredAt` and `acceptedAs`? (the id of the message; absent if none
/// of the registrations existed any more).
package struct ScheduledMessage: Sendable {
    /// The recipients of a message.
    package enum Recipients: Sendable {
        case targets([Recipient])
        case condition(Condition)

        /// Takes the registrations of targets, and the addresses of those without one.
        package static func all(_ targets: [Target]) -> Recipients {
            .targets(targets.map { $0.registration.map(Recipient.registration) ?? .address($0.address) })
        }
    }

    /// One recipient.
    package enum Recipient: Hashable, Sendable {
        /// A registration, which is read when the message is due: the message goes to its token of that time, and to
        /// none if it was removed.
        case registration(DocumentPath)
        case address(PushAddress)
    }

    /// The collection at the root with the contents and the recipients of these messages.
    package static let collection = "scheduledMessages"
    static let deliverAt = "deliverAt"
    static let enteredAt = "enteredAt"
    static let targets = "targets"
    private static let acceptedAs = "acceptedAs"

    /// The id, which is not that of the message that will be accepted.
    package let id: String
    /// The time of the acceptance.
    package let deliverAt: Timestamp
    /// The time at which the message was scheduled.
    package let scheduledAt: Timestamp
    /// The message, without a companion.
    package let draft: Draft
    let recipients: Recipients

    /// The number of targets; `nil` for a condition.
    package var targetCount: Int? {
        if case .targets(let targets) = recipients { targets.count } else { nil }
    }

    init(id: String, deliverAt: Timestamp, scheduledAt: Timestamp, draft: Draft, recipients: Recipients) {
        self.id = id
        self.deliverAt = deliverAt
        self.scheduledAt = scheduledAt
        self.draft = draft
        self.recipients = recipients
    }

    static func path(of id: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(id)
    }

    /// Returns the fields that remain of a message that was accepted.
    ///
    /// - Parameter messageID: the id of the accepted message; `nil` if there was no recipient any more.
    static func enteredFields(_ messageID: String?, at time: Timestamp) -> Fields {
        var fields: Fields = [enteredAt: .timestamp(time)]
        fields[acceptedAs] = messageID.map(Value.string)
        return fields
    }

    /// Returns the id of the message that was accepted, in the document of a message whose time has come.
    static func acceptedID(in document: Document) -> String? { document[acceptedAs]?.string }
}

extension ScheduledMessage {
    /// Returns the registrations among the recipients in a document; none for a condition.
    static func registrations(in document: Document) -> [DocumentPath] {
        guard case .targets(let recipients)? = Recipients(document) else { return [] }
        return recipients.compactMap { recipient -> DocumentPath? in
            if case .registration(let path) = recipient { path } else { nil }
        }
    }

    var fields: Fields {
        var fields: Fields = [
            Self.deliverAt: .timestamp(deliverAt), "scheduledAt": .timestamp(scheduledAt),
            "message": .string(draft.message.jsonText), "source": .string(draft.source), "owner": .string(draft.owner),
            "tokenField": .string(draft.registrationFields.token),
        ]
        fields["environmentField"] = draft.registrationFields.environment.map(Value.string)
        fields["registeredAtField"] = draft.registrationFields.registeredAt.map(Value.string)
        fields["senderId"] = draft.senderID.map(Value.string)
        fields["lifetime"] = draft.lifetime.map { .integer($0.wholeMicroseconds) }
        fields["badge"] = draft.badge?.value
        switch recipients {
        case .condition(let condition): fields["condition"] = .string(condition.description)
        case .targets(let targets): fields[Self.targets] = .array(targets.map(\.value))
        }
        if !draft.withdrawnIDs.isEmpty { fields["withdrawnIds"] = .array(draft.withdrawnIDs.map(Value.string)) }
        return fields
    }

    init(document: Document) throws(UnreadableOutboxDocument) {
        guard let deliverAt = document[Self.deliverAt]?.timestamp,
            let scheduledAt = document["scheduledAt"]?.timestamp, let text = document["message"]?.string,
            let json = try? JSONValue(parsing: text), let source = document["source"]?.string,
            let owner = document["owner"]?.string, let tokenField = document["tokenField"]?.string,
            let recipients = Recipients(document)
        else { throw UnreadableOutboxDocument(path: document.path) }
        var draft = Draft(
            message: Message(json: json),
            lifetime: document["lifetime"]?.integer.map { Duration.microseconds($0) }, source: source,
            registrationFields: RegistrationFields(
                token: tokenField, environment: document["environmentField"]?.string,
                registeredAt: document["registeredAtField"]?.string),
            senderID: document["senderId"]?.string)
        draft.owner = owner
        draft.withdrawnIDs = document["withdrawnIds"]?.array?.compactMap(\.string) ?? []
        draft.badge = document["badge"].flatMap(BadgeCounter.init)
        self.init(
            id: document.path.id, deliverAt: deliverAt, scheduledAt: scheduledAt, draft: draft, recipients: recipients)
    }
}

extension ScheduledMessage.Recipients {
    fileprivate init?(_ document: Document) {
        if let text = document["condition"]?.string {
            guard let condition = try? Condition(parsing: text) else { return nil }
            self = .condition(condition)
        } else {
            guard let values = document[ScheduledMessage.targets]?.array else { return nil }
            let targets = values.compactMap(ScheduledMessage.Recipient.init)
            guard targets.count == values.count else { return nil }
            self = .targets(targets)
        }
    }
}

extension ScheduledMessage.Recipient {
    fileprivate var value: Value {
        var map = Fields(minimumCapacity: 4)
        switch self {
        case .registration(let path): map["registration"] = .string(path.description)
        case .address(let address):
            map["transport"] = .string(address.transport.rawValue)
            map["token"] = .string(address.token.value)
            map["bundleId"] = address.app.bundleID.map(Value.string)
            map["environment"] = address.app.environment.map(Value.string)
            map["addressAttributes"] = address.attributes.value
        }
        return .map(map)
    }

    fileprivate init?(_ value: Value) {
        guard let map = value.map else { return nil }
        if let text = map["registration"]?.string {
            guard let path = try? DocumentPath(text) else { return nil }
            self = .registration(path)
        } else {
            guard let transport = map["transport"]?.string, let token = map["token"]?.string else { return nil }
            let app = AppIdentity(bundleID: map["bundleId"]?.string, environment: map["environment"]?.string)
            self = .address(
                PushAddress(
                    transport: TransportName(rawValue: transport), token: RegistrationToken(token),
                    attributes: AddressAttributes(app: app, stored: map["addressAttributes"])))
        }
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
