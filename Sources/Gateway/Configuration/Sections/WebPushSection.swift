package import Settings

/// The settings of the registrations of browsers. Those of the sender are the push service's own.
package struct WebPushSection: ConfigurationSection {
    static let name = "webpush"

    /// The web pages of other origins that may register browsers.
    package var allowedOrigins: [AllowedOrigin] = []
    /// The maximum number of subscriptions that one address may register for FCM's interface for the first time per
    /// hour; 0 removes the limit.
    package var newRegistrationsPerHourPerAddress = 10

    /// The settings, each declared once.
    package static let settings: [Setting<WebPushSection>] = [
        Setting(
            "webpush.allowedOrigins", \.allowedOrigins, .origins(),
            "The web pages of other origins that may register browsers"),
        Setting(
            "webpush.newRegistrationsPerHourPerAddress", \.newRegistrationsPerHourPerAddress, .count(),
            "The number of new subscriptions that one address may register for FCM's interface; 0 for no limit"),
    ]

    package init() {}
}
