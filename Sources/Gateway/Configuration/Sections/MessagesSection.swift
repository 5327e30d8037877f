import Messaging
package import Settings

/// The settings of stored messages.
package struct MessagesSection: ConfigurationSection {
    static let name = "messages"

    /// The time during which a message is retried, if the message sets none itself.
    package var lifetime = Duration.seconds(30 * 24 * 60 * 60)
    /// The time that a message is kept after it has settled.
    package var retention = Duration.seconds(7 * 24 * 60 * 60)
    /// The maximum number of bytes that one owner's settled messages may keep; 0 for no limit.
    package var maximumBytesPerOwner = 64 * 1_024 * 1_024

    /// The settings, each declared once.
    package static let settings: [Setting<MessagesSection>] = [
        Setting(
            "messages.lifetime", \.lifetime,
            .duration { value, text in
                value > Message.longestLifetime ? "“\(text)” is longer than 30 days" : nil
            },
            "The time for which delivery of a message is retried"),
        Setting("messages.retention", \.retention, .duration(), "The time for which a settled message is kept"),
        Setting(
            "messages.maximumBytesPerOwner", \.maximumBytesPerOwner, .integer(0...Int.max),
            "The largest total size of the settled messages of one owner; 0 for no limit"),
    ]

    package init() {}
}
