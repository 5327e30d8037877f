internal import JSON

extension MessageRules {
    /// The longest token that is stored.
    private static let maximumTokenLength = 4_096
    private static let maximumInstallationIDLength = 128

    /// Whether all subscribers of topics are meant, rather than one registration.
    var isForSubscribers: Bool { message["topic"] != nil || message["condition"] != nil }

    /// Whom the message goes to; nil when that is not in order, which is then among the violations.
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
