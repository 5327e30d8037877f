package import Secrets
package import Settings
package import Webhooks

/// The settings of the webhooks that the configuration names.
package struct WebhooksSection: ConfigurationSection {
    static let name = "webhooks"

    /// The URLs that events are sent to.
    package var urls: [String] = []
    /// The secret that signs the events; `nil` for one that the gateway derives for each URL.
    package var secret: RedactedString?
    /// The kinds of events.
    package var events = WebhookEventKind.allCases

    /// The settings, each declared once.
    package static let settings: [Setting<WebhooksSection>] = [
        Setting(
            "webhooks.urls", \.urls, .webhookURLs(), secrecy: .secret,
            "The URLs that events are sent to; they may be private"),
        Setting(
            "webhooks.secret", optional: \.secret, .webhookSecret(), absent: "one that the gateway derives",
            secrecy: .secret, "The secret that signs events to these URLs"),
        Setting(
            "webhooks.events", \.events,
            .list(
                "list of kinds",
                of: "notifications.settled, notifications.receipts, tokens.invalid, app.held_up, app.resumed or "
                    + "approval.decided",
                { WebhookEventKind(rawValue: $0) }, text: { $0.rawValue }),
            "The kinds of events that these URLs get"),
    ]

    package init() {}

    /// The webhooks.
    var webhooks: WebhookSettings {
        WebhookSettings(urls: urls, secret: secret.flatMap(WebhookSettings.secret), kinds: events)
    }
}

extension SettingForm where Value == [String] {
    /// A list of URLs, whose paths may be secrets.
    fileprivate static func webhookURLs() -> SettingForm<[String]> {
        SettingForm<[String]>("list of addresses", isList: true) { _ in
            "none"
        } read: { settings, key throws(ConfigurationError) in
            let urls = try settings.list(
                key, of: "an address like http://homeassistant.lan:8123/api/webhook/…", isSecret: true
            ) { text -> String? in
                WebhookSettings.url(text)
            }
            return urls.isEmpty ? nil : urls
        }
    }
}

extension SettingForm where Value == RedactedString {
    /// The secret of webhooks.
    fileprivate static func webhookSecret() -> SettingForm<RedactedString> {
        SettingForm<RedactedString>("`whsec_` and 24 to 64 bytes in base64") { _ in
            "`<redacted>`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key).map(RedactedString.init) else { return nil }
            guard WebhookSettings.secret(text) != nil else {
                throw settings.problem(
                    key,
                    "must be whsec_ and 24 to 64 bytes in base64; “echo whsec_$(openssl rand -base64 32)” makes one")
            }
            return text
        }
    }
}
