package import JSON

/// A valid request to FCM's `messages:send`: a message and its target.
package struct SendRequest: Hashable, Sendable {
    /// The target of a message. A request has exactly one.
    package enum Target: Hashable, Sendable {
        /// A registration token. FCM accepts a Firebase installation id here too.
        case token(RegistrationToken)
        /// The Firebase installation id of one app on one device.
        case fid(String)
        /// All registrations that are subscribed to a topic, named without `/topics/`.
        case topic(String)
        /// All registrations that match a condition.
        case condition(Condition)
    }

    /// The content.
    package let message: Message
    /// The target.
    package let target: Target
    /// `true` if nothing is to be sent: the client only checks if the request would be accepted.
    package let isValidateOnly: Bool

    /// Reads a request. Names may be in lowerCamelCase or snake_case.
    ///
    /// - Throws: all errors in the form of the request; if the form is valid, all errors in its content.
    package init(json: JSONValue) throws(InvalidRequest) {
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
