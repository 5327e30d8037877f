package import Messaging
package import Settings

/// The settings of Live Activities.
package struct LiveActivitiesSection: ConfigurationSection {
    static let name = "liveActivities"

    /// The limits of broadcast channels.
    package var limits = CardChannels.Limits()
    /// The settings of cards.
    package var cards = Cards.Settings()

    /// The settings, each declared once.
    package static let settings: [Setting<LiveActivitiesSection>] = [
        Setting(
            "liveActivities.maximumChannels", \.limits.channels, .integer(0...10_000),
            "The largest number of broadcast channels of an app in an environment"),
        Setting(
            "liveActivities.lifetime", \.limits.lifetime,
            .duration { value, text in
                value > .seconds(LiveActivity.longestLife) ? "“\(text)” is longer than 8 hours" : nil
            },
            "The time after which a card without an end is ended"),
        Setting(
            "liveActivities.linger", \.limits.linger, .duration(),
            "The time for which a channel stays after the end of its card"),
        Setting(
            "liveActivities.creationLimit", \.limits.creation, .duration(),
            "The time after which a channel is searched for whose creation had no answer"),
        Setting(
            "liveActivities.updateInterval", \.cards.updateInterval, .duration(),
            "The shortest time between two updates of a card"),
        Setting(
            "liveActivities.staleAfter", \.cards.staleAfter, .duration(),
            "The time without news after which a card looks out of date"),
        Setting(
            "liveActivities.dismissal", \.cards.dismissal,
            .duration { value, text in
                value > .seconds(LiveActivity.longestDismissal) ? "“\(text)” is longer than 4 hours" : nil
            },
            "The time from the end of a card to its removal from lock screens"),
    ]

    package init() {}
}
