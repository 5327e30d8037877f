import JSON
import Messaging

/// The part of a device's registration for Live Activities, `live_activity`: `push_to_start_token`,
/// `frequent_updates`? and `update_tokens`? (the tokens of cards by their ids). A browser sends an empty object, and
/// gets each card as one notification. So does a phone at a relay, which has its tokens.
///
/// It is a class, because most registrations have none, and no room for it in their frames.
final class LiveActivityPart: Sendable {
    /// The kind of address that the device has registered.
    enum AddressKind {
        case phone, browser
        /// A phone at the relay of its app's author.
        case relayed
    }

    /// The reason why the part of a body is refused.
    struct Refusal: Error, Hashable {
        /// The field and its problem, in one sentence.
        let text: String
    }

    static let name = "live_activity"
    private static let startToken = "push_to_start_token"
    private static let frequentUpdates = "frequent_updates"
    private static let updateTokens = "update_tokens"
    /// The greatest number of update tokens.
    private static let mostTokens = 50
    /// The greatest number of characters of a token.
    private static let longestToken = 1_024

    /// The part that is stored with the registration.
    let registration: CardRegistration
    /// The update tokens, which are stored with their cards.
    let tokens: [CardToken]

    private init(_ registration: CardRegistration, _ tokens: [CardToken]) {
        self.registration = registration
        self.tokens = tokens
    }

    /// Returns the part of a body; `nil` if it has none, or `null`.
    static func read(_ fields: LooseFields, of kind: AddressKind) throws(Refusal) -> LiveActivityPart? {
        guard let value = fields.value(name) else { return nil }
        guard let object = value.object else { throw Refusal(text: "\(name) must be an object") }
        let members = LooseFields(object)
        switch kind {
        case .phone: break
        case .relayed: return try withoutTokens(members, "belongs to the relay, with the phone's device token")
        case .browser: return try withoutTokens(members, "is of a phone; a browser has none")
        }
        guard members.value(startToken) != nil else {
            throw refusal(startToken, "is required; leave \(name) out for a phone without Live Activities")
        }
        let token = try token(members.value(startToken), startToken)
        return LiveActivityPart(
            CardRegistration(startToken: token, hasFrequentUpdates: try frequency(in: members)),
            try tokens(in: members))
    }

    private static func withoutTokens(
        _ members: LooseFields, _ problem: String
    ) throws(Refusal) -> LiveActivityPart {
        for member in [startToken, updateTokens] where members.value(member) != nil { throw refusal(member, problem) }
        return LiveActivityPart(CardRegistration(startToken: nil), [])
    }

    private static func frequency(in members: LooseFields) throws(Refusal) -> Bool {
        guard let value = members.value(frequentUpdates) else { return true }
        guard let isOn = value.bool else { throw refusal(frequentUpdates, "must be true or false") }
        return isOn
    }

    private static func tokens(in members: LooseFields) throws(Refusal) -> [CardToken] {
        guard let value = members.value(updateTokens) else { return [] }
        guard let object = value.object else {
            throw refusal(updateTokens, "must be an object of the tokens by the ids of their cards")
        }
        guard object.count <= mostTokens else { throw refusal(updateTokens, "has more than \(mostTokens) members") }
        return try object.members.map { member throws(Refusal) in
            CardToken(card: member.name, token: try token(member.value, "\(updateTokens).\(member.name.prefix(64))"))
        }
    }

    private static func token(_ value: JSONValue?, _ member: String) throws(Refusal) -> RegistrationToken {
        guard let text = value?.string?.trimmingWhitespace() else { throw refusal(member, "must be a string") }
        let token = RegistrationToken(text)
        guard text.utf8.count <= longestToken else {
            throw refusal(member, "is longer than \(longestToken) characters")
        }
        guard token.isHexadecimal || token.isEmulated else {
            throw refusal(member, "must have hexadecimal digits only, as the app prints ActivityKit's token")
        }
        return token
    }

    private static func refusal(_ member: String, _ problem: String) -> Refusal {
        Refusal(text: "\(name).\(member) \(problem)")
    }
}
