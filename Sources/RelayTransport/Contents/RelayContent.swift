import JSON
import Messaging
import WebPush

/// The plain text of a message, which only the app reads.
///
/// `{"v":1,"title"?,"body"?,"data"?,"badge"?,"sound"?,"thread"?,"collapse_id"?}`. The message's part for Apple's
/// devices wins over the rest of it, as it does at Apple.
///
/// That of a card is `{"v":1,"title"?,"data"?,"state"}`: the title and the facts of its run, and what the widget shows.
struct RelayContent: Hashable, Sendable {
    /// Compact UTF-8 JSON.
    let bytes: [UInt8]
    /// `true` if the body was cut.
    let isCut: Bool

    /// The version of this form.
    private static let version: Int64 = 1
    /// The members of the data with the message's id and with the address for receipts, named as in Apple's payload.
    private static let (idKey, receiptKey) = ("gcm.message_id", "pushgate_receipt")

    /// Creates the plain text of a message. If it is too long, the message's id is left out, or the end of the body.
    ///
    /// - Parameter receipt: The address for receipts; `nil` for none.
    /// - Returns: `nil` if the text is too long even with an empty body.
    init?(of message: OutgoingMessage, receipt: String? = nil) {
        if let card = RelayCard(of: message.message) {
            let bytes = JSONValue.object(Self.object(of: card, message.message)).serialized
            guard bytes.count <= RelayCard.maximumByteCount else { return nil }
            (self.bytes, isCut) = (bytes, false)
            return
        }
        let id = message.identity?.messageID ?? message.id
        let ids = [[Self.idKey: id, Self.receiptKey: receipt], [Self.receiptKey: receipt]]
        let objects = ids.map { Self.object(of: message.message, $0.compactMapValues(\.self)) }
        for object in objects {
            let bytes = JSONValue.object(object).serialized
            guard bytes.count > SealedContent.maximumByteCount else {
                (self.bytes, isCut) = (bytes, false)
                return
            }
        }
        guard let last = objects.last, let bytes = Self.fit(last) else { return nil }
        (self.bytes, isCut) = (bytes, true)
    }

    private static func object(of message: Message, _ added: [String: String]) -> JSONObject {
        let aps = message.apns?.payload["aps"]
        let alert = aps?["alert"]
        var object: JSONObject = ["v": .integer(version)]
        object["title"] = (alert?["title"]?.string ?? message.notification?.title).map(JSONValue.string)
        object["body"] = (alert?["body"]?.string ?? alert?.string ?? message.notification?.body).map(JSONValue.string)
        object["data"] = Self.data(message.valuesForApp.merging(added) { _, own in own })
        object["badge"] = aps?["badge"]?.integer.map(JSONValue.integer)
        object["sound"] = (aps?["sound"]?.string ?? aps?["sound"]?["name"]?.string).map(JSONValue.string)
        object["thread"] = aps?["thread-id"]?.string.map(JSONValue.string)
        object["collapse_id"] = message.relayedCollapseID.map(JSONValue.string)
        return object
    }

    private static func object(of card: RelayCard, _ message: Message) -> JSONObject {
        var object: JSONObject = ["v": .integer(version)]
        object["title"] = (message.notification?.title).map(JSONValue.string)
        object["data"] = data(message.data)
        object["state"] = .object(card.state)
        return object
    }

    /// Returns the values ordered by their names; `nil` if there are none.
    private static func data(_ values: [String: String]) -> JSONValue? {
        guard !values.isEmpty else { return nil }
        return .object(
            JSONObject(values.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONValue.string($0.value)) }))
    }

    /// Returns the JSON of an object with its body cut as far as the greatest size requires; `nil` if that is not
    /// enough.
    private static func fit(_ object: JSONObject) -> [UInt8]? {
        let excess = JSONValue.object(object).serialized.count - SealedContent.maximumByteCount
        guard let body = object["body"]?.string, let shorter = WebPushPayload.cut(body, by: excess) else { return nil }
        var object = object
        object["body"] = .string(shorter)
        return JSONValue.object(object).serialized
    }
}

extension Message {
    /// The texts for the app: the data, and the texts beside `aps` in the payload for Apple's devices.
    fileprivate var valuesForApp: [String: String] {
        var values = data
        for (name, value) in apns?.payload.members ?? [] where name != "aps" {
            if let text = value.string { values[name] = text }
        }
        return values
    }

    /// The name of messages that replace each other: Apple's, else Android's or the web's; `nil` if there is none.
    var relayedCollapseID: String? {
        apns?.header("apns-collapse-id") ?? (androidV2 ?? android)?["collapseKey"]?.string ?? webPushHeader("topic")
    }

    /// `true` if the message shows a text.
    var hasShownText: Bool {
        let alert = apns?.payload["aps"]?["alert"]
        let texts = [
            notification?.title, notification?.body, alert?["title"]?.string, alert?["body"]?.string, alert?.string,
        ]
        return texts.contains { $0?.isEmpty == false }
    }
}
