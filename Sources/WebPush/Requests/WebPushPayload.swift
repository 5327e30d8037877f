import JSON
package import Messaging

/// The plain text of a message, which the subscription's browser gets.
///
/// Its form is the one of [Declarative Web Push](https://www.w3.org/TR/push-api/#declarative-push-message), which
/// Safari shows without a worker; other browsers give it to the page's worker.
package struct WebPushPayload: Hashable, Sendable {
    /// The content of payloads.
    package enum Form: String, CaseIterable, Sendable {
        /// The notification, with the message's data in it.
        case declarative
        /// The message's data alone.
        case data
    }

    /// Compact UTF-8 JSON.
    package let bytes: [UInt8]

    /// The member with the address for receipts.
    private static let receiptKey = "pushgate_receipt"

    /// The member that marks a message as declarative, with the number of RFC 8030.
    private static let mark: (name: String, value: JSONValue) = ("web_push", 8_030)

    /// Creates the payload of a message. If it is too long, the end of the notification's body is left out, or the
    /// message's id.
    ///
    /// - Parameters:
    ///   - navigation: The URL that the notification opens, if the message names none; `nil` for none. A notification
    ///     without such a URL is not marked as declarative, because browsers would refuse it.
    ///   - limit: The greatest number of bytes.
    ///   - receipt: The address for receipts; `nil` for none.
    /// - Returns: `nil` if the payload is too long even with an empty body.
    package init?(
        of message: OutgoingMessage, _ form: Form, navigation: NavigationTemplate?,
        limit: Int = MessageEncryption.maximumContentByteCount, receipt: String? = nil
    ) {
        let content = message.message
        var object = JSONObject()
        if form == .declarative, let notification = content.webNotification(navigation) {
            if notification["navigate"] != nil { object[Self.mark.name] = Self.mark.value }
            object["notification"] = .object(notification)
        } else {
            object["data"] = .object(content.webData)
        }
        if form == .declarative { object["app_badge"] = content.appBadge.map(JSONValue.integer) }
        object[Self.receiptKey] = receipt.map(JSONValue.string)
        let withoutID = object
        object["message_id"] = (message.identity?.messageID ?? message.id).map(JSONValue.string)
        guard let bytes = Self.fit(object, limit) ?? Self.fit(withoutID, limit) else { return nil }
        self.bytes = bytes
    }

    /// Returns the JSON of an object, with its notification's body shortened as far as the limit requires; `nil` if
    /// that is not enough.
    private static func fit(_ object: JSONObject, _ limit: Int) -> [UInt8]? {
        let bytes = JSONValue.object(object).serialized
        guard bytes.count > limit else { return bytes }
        guard var notification = object["notification"]?.object, let body = notification["body"]?.string,
            let shorter = cut(body, by: bytes.count - limit)
        else { return nil }
        var shortened = object
        notification["body"] = .string(shorter)
        shortened["notification"] = .object(notification)
        return JSONValue.object(shortened).serialized
    }

    /// Removes characters from the end of a text, and adds an ellipsis, until its JSON is shorter by `excess` bytes;
    /// `nil` if the text is too short.
    package static func cut(_ text: String, by excess: Int) -> String? {
        var (text, saved) = (text, -"…".utf8.count)
        while saved < excess {
            guard let last = text.popLast() else { return nil }
            saved += JSONValue.string(String(last)).serialized.count - 2
        }
        return text + "…"
    }
}

extension Message {
    /// The values for the app: those for browsers if the message has any (FCM's `webpush.data`), else those for all.
    private var webValues: [String: String] {
        guard let own = webpush?["data"]?.object else { return data }
        var values: [String: String] = [:]
        for (name, value) in own.members { values[name] = value.string }
        return values
    }

    /// The values for the app, ordered by their names.
    fileprivate var webData: JSONObject {
        JSONObject(webValues.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONValue.string($0.value)) })
    }

    /// Returns the notification; `nil` for a message that shows nothing.
    ///
    /// The message's own `webpush.notification` wins, member by member. The title and the body may be in `aps` too, as
    /// the systems' messages for Apple's devices have them.
    fileprivate func webNotification(_ navigation: NavigationTemplate?) -> JSONObject? {
        let own = webpush?["notification"]?.object ?? [:]
        let alert = apns?.payload["aps"]?["alert"]
        var title = notification?.title ?? alert?["title"]?.string
        var body = notification?.body ?? alert?["body"]?.string ?? alert?.string
        guard title != nil || body != nil || !own.isEmpty else { return nil }
        // A title is required.
        if title?.isEmpty ?? true { (title, body) = (body, nil) }
        var object = JSONObject()
        object["title"] = .string(title ?? "")
        object["body"] = body.map(JSONValue.string)
        let url = webpush?["fcmOptions"]?["link"]?.string ?? navigation?.url(for: webValues)
        object["navigate"] = url.map(JSONValue.string)
        object["tag"] = collapseID.map(JSONValue.string)
        object["image"] = notification?.image.map(JSONValue.string)
        for (name, value) in own.members { object[name] = value }
        var values = webData
        for (name, value) in own["data"]?.object?.members ?? [] { values[name] = value }
        let hasOtherData = own["data"].map { $0.object == nil } ?? false
        if !values.isEmpty, !hasOtherData { object["data"] = .object(values) }
        return object
    }

    /// The number on the app's icon; `nil` if the message sets none.
    fileprivate var appBadge: Int64? { (apns?.payload["aps"]?["badge"]?.integer).flatMap { $0 >= 0 ? $0 : nil } }
}
