public import Foundation

/// The part of a registration by which a device shows cards on the lock screen: ActivityKit's tokens, and the person's
/// setting. Its description has no token.
public struct LiveActivityRegistration: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token that starts a card, in hexadecimal.
    let startToken: String
    /// `false` if the person has switched frequent updates off.
    public let hasFrequentUpdates: Bool
    /// The tokens of cards without a channel, in hexadecimal, by the ids of the cards.
    let updateTokens: [String: String]

    /// Creates the part.
    ///
    /// - Parameters:
    ///   - startToken: The last value of `Activity.pushToStartTokenUpdates`. A forced quit of the app makes it useless,
    ///     so register at each launch.
    ///   - hasFrequentUpdates: `ActivityAuthorizationInfo().frequentPushesEnabled`.
    ///   - updateTokens: The last value of `pushTokenUpdates` of each card that runs, by its attribute `card`. A card
    ///     with a channel needs none.
    public init(startToken: Data, hasFrequentUpdates: Bool = true, updateTokens: [String: Data] = [:]) {
        self.startToken = HexadecimalText.lowercase(startToken)
        self.hasFrequentUpdates = hasFrequentUpdates
        self.updateTokens = updateTokens.mapValues { HexadecimalText.lowercase($0) }
    }

    /// `<redacted>`, so that logs do not show the tokens.
    public var description: String { "<redacted>" }
    /// An empty mirror, so that dumps do not show the tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The wire form for a relay.
struct RelayedLiveActivity: Encodable {
    let registration: LiveActivityRegistration

    private enum CodingKeys: String, CodingKey {
        case startToken = "push_to_start_token"
        case frequentUpdates = "frequent_updates"
        case updateTokens = "update_tokens"
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(registration.startToken, forKey: .startToken)
        try fields.encode(registration.hasFrequentUpdates, forKey: .frequentUpdates)
        guard !registration.updateTokens.isEmpty else { return }
        try fields.encode(registration.updateTokens, forKey: .updateTokens)
    }
}
