import JSON
import Texts

/// The rules for a message beyond its form
/// ([reference](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages)).
struct MessageRules {
    /// The message in canonical form.
    let message: JSONValue
    private(set) var violations: [InvalidRequest.Violation] = []

    init(message: JSONValue) { self.message = message }

    /// Checks everything except the target.
    mutating func checkContent() {
        checkData()
        checkAPNs()
        checkAndroid()
        checkWebpush()
        checkAnalyticsLabels()
    }

    /// Adds a violation.
    ///
    /// - Parameter field: the path below the message, by the schema's names; empty for the message itself.
    mutating func report(_ field: String, _ description: String) {
        let path = field.isEmpty ? "message" : "message.\(field)"
        violations.append(InvalidRequest.Violation(field: path, description: description))
    }

    /// Returns a text below the message; `nil` if it is empty, which protocol buffers treat as absent.
    func text(_ path: String...) -> String? {
        let text = path.reduce(message as JSONValue?) { $0?[$1] }?.string
        return text?.isEmpty == true ? nil : text
    }
}

extension MessageRules {
    /// The maximum length of a token in bytes.
    private static let maximumTokenLength = 4_096
    private static let maximumInstallationIDLength = 128

    /// `true` if the target is the subscribers of topics, and not one registration.
    var isForSubscribers: Bool { message["topic"] != nil || message["condition"] != nil }

    /// Returns the target of the message; `nil` if it is invalid, which adds a violation.
    mutating func target() -> SendRequest.Target? {
        if let token = message["token"]?.string { return target(token: token) }
        if let fid = message["fid"]?.string { return target(fid: fid) }
        if let topic = message["topic"]?.string { return target(topic: topic) }
        if let condition = message["condition"]?.string { return target(condition: condition) }
        report("", "Recipient of the message is not set.")
        return nil
    }

    private mutating func target(token: String) -> SendRequest.Target? {
        guard (1...Self.maximumTokenLength).contains(token.utf8.count) else {
            report("token", "The registration token is not a valid FCM registration token")
            return nil
        }
        return .token(RegistrationToken(token))
    }

    private mutating func target(fid: String) -> SendRequest.Target? {
        guard (1...Self.maximumInstallationIDLength).contains(fid.utf8.count), fid.utf8.allSatisfy(\.isBase64URL) else {
            report("fid", "The installation id is not a valid Firebase installation id")
            return nil
        }
        return .fid(fid)
    }

    private mutating func target(topic: String) -> SendRequest.Target? {
        guard let name = TopicName.canonical(topic) else {
            report("topic", "Invalid topic name: \(ConditionError.Reason.invalidTopic.rawValue)")
            return nil
        }
        return .topic(name)
    }

    private mutating func target(condition: String) -> SendRequest.Target? {
        do throws(ConditionError) {
            return .condition(try Condition(parsing: condition))
        } catch {
            report("condition", error.description)
            return nil
        }
    }
}

extension MessageRules {
    private static let reservedKeys: Set = ["from", "message_type"]
    private static let reservedPrefixes = ["google.", "gcm.notification."]

    /// The maximum size of all keys and values together, in bytes.
    private var maximumDataSize: Int { isForSubscribers ? 2_048 : 4_096 }

    /// Checks all data. The data of a platform replaces the message's, and has the same limits.
    mutating func checkData() {
        check(data: message["data"], field: "data")
        check(data: message["android"]?["data"], field: "android.data")
        check(data: message["androidV2"]?["data"], field: "android_v2.data")
        check(data: message["webpush"]?["data"], field: "webpush.data")
    }

    private mutating func check(data: JSONValue?, field: String) {
        let members = data?.object?.members ?? []
        for (key, _) in members where Self.isReserved(key) {
            report(field, "Invalid data payload key: \(key.bounded)")
        }
        let size = members.reduce(0) { $0 + $1.name.utf8.count + ($1.value.string?.utf8.count ?? 0) }
        if size > maximumDataSize {
            report(field, "Data payload is too big: \(size) bytes of keys and values, of at most \(maximumDataSize)")
        }
    }

    private static func isReserved(_ key: String) -> Bool {
        reservedKeys.contains(key) || reservedPrefixes.contains { key.hasPrefix($0) }
    }
}
