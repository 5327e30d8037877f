import HTTPTypes
import JSON
import Messaging

/// A message that a program publishes: its text in the body, all else in header fields, by the names that ntfy has for
/// them ([Publishing](https://docs.ntfy.sh/publish/#list-of-all-parameters)).
struct Publication: Sendable {
    /// The maximum size of the text, in bytes. A notification to Apple has 4,096 bytes with everything in it.
    static let maximumBodyBytes = 3_000
    /// In UTF-16 units.
    private static let longestTitle = 200
    /// The maximum sizes of fields, in bytes.
    private static let (longestTags, longestLink) = (200, 500)
    /// The text of an empty body, as ntfy has it.
    private static let emptyText = "triggered"
    private static let refusedSchemes: Set<String> = ["javascript", "data", "vbscript"]

    private let topic: String
    private let text: String
    private let title: String?
    private let priority: PublishPriority
    private let tags: String?
    private let link: String?

    init(_ request: FunctionRequest, to topic: String) async throws(PublishingError) {
        let fields = request.headerFields
        self.topic = topic
        title = fields.text("x-title", "title", "ti", "t").map { $0.shortened(to: Self.longestTitle) }
        priority = try Self.priority(fields.text("x-priority", "priority", "prio", "p"))
        tags = fields.text("x-tags", "tags", "tag", "ta")
        if let tags, tags.utf8.count > Self.longestTags {
            throw .badRequest("the tags have more than \(Self.longestTags) bytes")
        }
        link = fields.text("x-click", "click")
        if let link { try Self.check(link) }
        text = try await Self.text(of: request)
    }

    private static func priority(_ text: String?) throws(PublishingError) -> PublishPriority {
        // Browsers and proxies say by the same field how urgent the answer is, such as “u=1, i” (RFC 9218).
        guard let text, !text.hasPrefix("u="), text != "i" else { return .normal }
        guard let priority = PublishPriority(named: text) else {
            throw .badRequest("the priority must be 1 to 5, or min, low, default, high, max or urgent")
        }
        return priority
    }

    private static func text(of request: FunctionRequest) async throws(PublishingError) -> String {
        let bytes: [UInt8]
        do throws(RequestBodyError) {
            bytes = try await request.readBody(maximumBodyBytes)
        } catch {
            throw PublishingError(error)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .badRequest("the body must be text in UTF-8")
        }
        let trimmed = text.trimmingWhitespace()
        return trimmed.isEmpty ? emptyText : trimmed
    }

    private static func check(_ link: String) throws(PublishingError) {
        guard link.utf8.count <= longestLink else { throw .badRequest("the link has more than \(longestLink) bytes") }
        let scheme = link.prefix { $0 != ":" }
        let hasScheme =
            scheme.utf8.count < link.utf8.count && scheme.first?.isASCII == true && scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard hasScheme, !refusedSchemes.contains(scheme.lowercased()) else {
            throw .badRequest("the link to click must be a URL, such as https://ci.example.com/42")
        }
    }

    /// The message for all kinds of devices.
    var message: Message {
        var data = ["topic": topic, "priority": String(priority.rawValue)]
        data["tags"] = tags
        data["click"] = link
        var web: JSONObject = ["headers": ["Urgency": .string(priority.urgency)]]
        // FCM allows only such links for browsers.
        if let link, link.hasPrefix("https://") { web["fcmOptions"] = ["link": .string(link)] }
        var aps: JSONObject = ["interruption-level": .string(priority.interruptionLevel)]
        if priority.hasSound { aps["sound"] = "default" }
        return Message(
            notification: Message.Notification(title: title, body: text), data: data,
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": priority.hasSound ? "10" : "5"],
                payload: ["aps": .object(aps)]),
            android: ["priority": priority.hasSound ? "HIGH" : "NORMAL"], webpush: web)
    }
}

/// The priority of a message, by ntfy's numbers.
enum PublishPriority: Int, Sendable {
    case lowest = 1
    case low, normal, high, highest

    private static let names: [String: PublishPriority] = [
        "1": .lowest, "min": .lowest, "2": .low, "low": .low, "3": .normal, "default": .normal, "4": .high,
        "high": .high, "5": .highest, "max": .highest, "urgent": .highest,
    ]

    /// Reads a digit or a name, in any case of the letters; `nil` for any other text.
    init?(named text: String) {
        guard let priority = Self.names[text.lowercased()] else { return nil }
        self = priority
    }

    var hasSound: Bool { rawValue >= Self.normal.rawValue }

    /// Apple's level. `critical` needs an entitlement that few apps have.
    var interruptionLevel: String {
        switch self {
        case .lowest, .low: "passive"
        case .normal: "active"
        case .high, .highest: "time-sensitive"
        }
    }

    /// The urgency of Web Push (RFC 8030 §5.3).
    var urgency: String {
        switch self {
        case .lowest: "very-low"
        case .low: "low"
        case .normal: "normal"
        case .high, .highest: "high"
        }
    }
}

extension HTTPFields {
    /// Returns the first of some fields that has a text; `nil` if none has.
    fileprivate func text(_ names: String...) -> String? {
        for name in names {
            guard let name = HTTPField.Name(name), let value = self[name] else { continue }
            let text = EncodedWords.decoded(value.trimmingWhitespace())
            if !text.isEmpty { return text }
        }
        return nil
    }
}
