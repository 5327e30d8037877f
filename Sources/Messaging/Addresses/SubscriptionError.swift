/// The reason why a value is no subscription of a push service, in words for the client that sent it. It never contains
/// a key, nor the path of an endpoint.
package struct SubscriptionError: Error, Hashable, Sendable {
    /// The member of the subscription, such as `keys.p256dh`; `nil` for the subscription itself.
    package let member: String?
    /// The requirement that it does not meet, as a verb phrase such as `must be a text`.
    package let requirement: String

    package init(_ member: String?, _ requirement: String) {
        self.member = member
        self.requirement = requirement
    }

    /// Returns the error in one sentence, for a subscription in the field of a body: `web_push.endpoint must be a
    /// text`.
    package func text(in field: String) -> String {
        "\(member.map { "\(field).\($0)" } ?? field) \(requirement)"
    }
}

extension SubscriptionError: CustomStringConvertible {
    /// The member and the requirement in one sentence.
    package var description: String { "\(member ?? "the subscription") \(requirement)" }
}

/// The reason why a gateway does not take a subscription that a client registers.
package enum SubscriptionRefusal: Error, Hashable, Sendable {
    /// It is no subscription, or its push service would not be sent to.
    case invalid(SubscriptionError)
    /// The gateway sends to no subscriptions. The text has the cause and the remedy, for its operator.
    case switchedOff(String)

    /// Returns the reason in one sentence, for a subscription in the field of a body.
    package func text(in field: String) -> String {
        switch self {
        case .invalid(let error): error.text(in: field)
        case .switchedOff(let advice): "\(field) cannot be taken by this gateway: \(advice)"
        }
    }
}
