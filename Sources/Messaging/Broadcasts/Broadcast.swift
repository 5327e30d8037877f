import DocumentStore

/// A message to more than one page of devices, while it is being cut into chunks.
///
/// `broadcasts/{message's id}`: `after`? (the id of the last registration that was read), `chunkCount` and
/// `targetCount` so far, and the recipients: `condition`; or `registrations` (their collection), `topicField`
/// (always `bundleId`, for older versions), `excludedId`? and `excludedTokens`? (see ``TokenDigest``). `owner`? is the
/// name of the gateway that cuts it, if several share the documents.
struct Broadcast: Sendable {
    enum Recipients: Sendable {
        case condition(Condition)
        case audience(Audience)
    }

    static let collection = "broadcasts"
    static let owner = "owner"

    let messageID: String
    let recipients: Recipients
    let owner: String?
    var after: String?
    var chunkCount = 0
    var targetCount = 0

    var path: DocumentPath {
        get throws(StoreError) { try Self.path(of: messageID) }
    }

    static func path(of messageID: String) throws(StoreError) -> DocumentPath {
        try CollectionPath(collection).document(messageID)
    }

    var fields: Fields {
        var fields = recipients.fields
        fields["chunkCount"] = .integer(Int64(chunkCount))
        fields["targetCount"] = .integer(Int64(targetCount))
        fields["after"] = after.map(Value.string)
        fields[Self.owner] = owner.map(Value.string)
        return fields
    }

    init(messageID: String, to recipients: Recipients, owner: String?) {
        self.messageID = messageID
        self.recipients = recipients
        self.owner = owner
    }

    init(document: Document) throws(UnreadableOutboxDocument) {
        guard let recipients = Recipients(document.fields),
            let chunkCount = document["chunkCount"]?.integer, let targetCount = document["targetCount"]?.integer
        else { throw UnreadableOutboxDocument(path: document.path) }
        self.init(messageID: document.path.id, to: recipients, owner: document[Self.owner]?.string)
        after = document["after"]?.string
        self.chunkCount = Int(chunkCount)
        self.targetCount = Int(targetCount)
    }
}

extension Broadcast.Recipients {
    fileprivate var fields: Fields {
        switch self {
        case .condition(let condition): return ["condition": .string(condition.description)]
        case .audience(let audience):
            var fields: Fields = [
                "registrations": .string(audience.registrations.description),
                "topicField": .string(RegistrationFields.bundleID),
            ]
            fields["excludedId"] = audience.excludedID.map(Value.string)
            if !audience.excludedTokens.isEmpty {
                fields["excludedTokens"] = .array(audience.excludedTokens.map { .string($0.description) })
            }
            return fields
        }
    }

    /// The collection of the registrations; `nil` for a condition.
    fileprivate var registrations: CollectionPath? {
        if case .audience(let audience) = self { audience.registrations } else { nil }
    }

    /// Reads the recipients; `nil` if the fields are invalid.
    fileprivate init?(_ fields: Fields) {
        if let text = fields["condition"]?.string {
            guard let condition = try? Condition(parsing: text) else { return nil }
            self = .condition(condition)
        } else {
            guard let path = fields["registrations"]?.string, let registrations = try? CollectionPath(path) else {
                return nil
            }
            let texts = fields["excludedTokens"]?.array ?? []
            let tokens = texts.compactMap { $0.string.flatMap(TokenDigest.init) }
            guard tokens.count == texts.count else { return nil }
            self = .audience(Audience(registrations, excluding: fields["excludedId"]?.string, Set(tokens)))
        }
    }
}

extension Broadcast {
    /// Adds the targets of one more page.
    ///
    /// - Parameter last: the id of the last registration of the page; `nil` if there are no more pages.
    /// - Returns: the chunks of the page.
    mutating func append(_ targets: [Target], through last: String?, at time: Timestamp) -> [Chunk] {
        let chunks = Chunking.chunks(
            of: targets, below: recipients.registrations, message: messageID, firstNumber: chunkCount, dueAt: time)
        chunkCount += chunks.count
        targetCount += targets.count
        after = last
        return chunks
    }
}

/// One page of a broadcast's recipients.
struct RecipientPage: Sendable {
    var targets: [Target] = []
    /// The number of registrations from which the targets were selected; 0 for a condition.
    var count = 0
    /// Subscriptions of registrations that are gone or have a newer token.
    var voidSubscriptions: [Document] = []
    /// The id of the last registration that was read; `nil` if there are no more.
    var last: String?
}
