/// The channel for a card, or the reason why the card has none.
package enum CardChannelGrant: Hashable, Sendable {
    /// The card follows this channel, and no other card ever does.
    case channel(ChannelID)
    /// The card gets its updates by tokens, or people get alerts.
    case absent(CardChannelAbsence)
}

/// The result of a push to the followers of a card's channel.
package enum CardPublication: Hashable, Sendable {
    /// Apple has it.
    case published
    /// The card has no channel.
    case absent(CardChannelAbsence)
    /// Apple does not have it. An end is published again until it succeeds; of updates the next one counts.
    case failed(ChannelError)
}

/// The reason why a card has no channel. The raw values are labels of metrics.
package enum CardChannelAbsence: String, Hashable, Sendable, CaseIterable {
    /// No push service has channels for the app.
    case notAvailable = "not_available"
    /// Another request creates it, or a gateway crashed while it did.
    case beingCreated = "being_created"
    /// The card has ended.
    case ended
    /// The app has nearly as many channels as it may have.
    case nearLimit = "near_limit"
    /// Apple says that the app has as many channels as it may have.
    case limitReached = "limit_reached"
    /// The app lacks the capability for broadcasts.
    case featureOff = "feature_off"
    /// Apple refuses the key, the app or the request.
    case refused
    /// Apple has no answer.
    case unavailable
    /// Apple no longer knows the channel.
    case gone

    init(_ error: ChannelError) {
        self =
            switch error.kind {
            case .unknownChannel: .gone
            case .limitReached: .limitReached
            case .featureOff: .featureOff
            case .wrongApp, .refused, .invalidRequest: .refused
            case .unavailable: .unavailable
            }
    }

    /// The time for which Apple is not asked again; `nil` if the next request may succeed.
    var pause: Duration? {
        switch self {
        case .limitReached: .seconds(60)
        case .featureOff: .seconds(3_600)
        case .refused: .seconds(300)
        case .unavailable: .seconds(10)
        case .notAvailable, .beingCreated, .ended, .nearLimit, .gone: nil
        }
    }
}
