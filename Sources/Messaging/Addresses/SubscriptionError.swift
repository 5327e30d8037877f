/// The reason why a value is no subscription of a push service, in words for the client that sent it. It never contains
/// a key, nor the path of an endpoint.
package struct SubscriptionError: Error, Hashable, Sendable {
    /// The member of the subscription, such as `keys.p256dh`.
    package let member: String
    /// The requirement that it does not meet, as a verb phrase such as `must be a text`.
    package let requirement: String

    package init(_ member: String, _ requirement: String) {
        self.member = member
        self.requirement = requirement
    }
}

extension SubscriptionError: CustomStringConvertible {
    /// The member and the requirement in one sentence.
    package var description: String { "\(member) \(requirement)" }
}
