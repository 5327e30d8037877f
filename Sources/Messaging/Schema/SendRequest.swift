public import JSON

/// A request to FCM's `messages:send` that is in order: what to send, and to whom.
public struct SendRequest: Hashable, Sendable {
    /// Whom a message goes to; there is exactly one in a request.
    public enum Target: Hashable, Sendable {
        /// One app on one device. FCM takes a Firebase installation id here too.
        case token(RegistrationToken)
        /// The Firebase installation id of one app on one device.
        case fid(String)
        /// All who are subscribed to a topic, without `/topics/`.
        case topic(String)
        case condition(Condition)
    }

    public let message: Message
    public let target: Target
    /// Whether nothing is to be sent: the caller wants to know whether it would be accepted.
    public let isValidateOnly: Bool

    /// Reads a request in either spelling of its names, lowerCamelCase or snake_case.
    ///
    /// - Throws: everything that is wrong with its form; or, when that is in order, with what it says.
    public init(json: JSONValue) throws(InvalidRequest) {
        var reader = ProtoReader()
        let request = JSONValue.object(reader.read(json, as: FCMSchema.sendRequest))
        guard reader.violations.isEmpty else { throw InvalidRequest(violations: reader.violations) }
        var rules = MessageRules(message: request["message"] ?? [:])
        let target = rules.target()
        rules.checkContent()
        guard let target, rules.violations.isEmpty else { throw InvalidRequest(violations: rules.violations) }
        self.target = target
        message = Message(json: rules.message)
        isValidateOnly = request["validateOnly"]?.bool ?? false
    }
}
