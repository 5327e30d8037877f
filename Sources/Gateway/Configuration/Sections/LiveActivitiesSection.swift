package import Messaging
package import Settings

/// The settings of Live Activities.
package struct LiveActivitiesSection: ConfigurationSection {
    static let name = "liveActivities"

    /// The limits of broadcast channels.
    package var limits = CardChannels.Limits()

    /// The time for which the system shows a card that has not ended.
    private static let longestLifetime = Duration.seconds(8 * 3_600)

    /// The settings, each declared once.
    package static let settings: [Setting<LiveActivitiesSection>] = [
        Setting(
            "liveActivities.maximumChannels", \.limits.channels, .integer(0...10_000),
            "The largest number of broadcast channels of an app in an environment"),
        Setting(
            "liveActivities.lifetime", \.limits.lifetime,
            .duration { value, text in
                value > LiveActivitiesSection.longestLifetime ? "“\(text)” is longer than 8 hours" : nil
            },
            "The time after which a card without an end is ended"),
        Setting(
            "liveActivities.linger", \.limits.linger, .duration(),
            "The time for which a channel stays after the end of its card"),
    ]

    package init() {}
}
