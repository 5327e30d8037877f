internal import DocumentStore

/// A message to all who match a condition, for as long as it is being cut into chunks.
///
/// `broadcasts/{message's id}`: `condition`, `after`? (the last installation id that was looked at), `chunkCount` and
/// `targetCount` so far.
struct Broadcast: Sendable {
    static let collection = "broadcasts"

    let messageID: String
    let condition: Condition
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
        var fields: Fields = [
            "condition": .string(condition.description), "chunkCount": .integer(Int64(chunkCount)),
            "targetCount": .integer(Int64(targetCount)),
        ]
        fields["after"] = after.map(Value.string)
        return fields
    }

    init(messageID: String, condition: Condition) {
        self.messageID = messageID
        self.condition = condition
    }

    init(document: Document) throws(UnreadableOutboxDocument) {
        guard let text = document["condition"]?.string, let condition = try? Condition(parsing: text),
            let chunkCount = document["chunkCount"]?.integer, let targetCount = document["targetCount"]?.integer
        else { throw UnreadableOutboxDocument(path: document.path) }
        self.init(messageID: document.path.id, condition: condition)
        after = document["after"]?.string
        self.chunkCount = Int(chunkCount)
        self.targetCount = Int(targetCount)
    }
}
