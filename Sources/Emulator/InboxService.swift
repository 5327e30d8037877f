import DocumentStore
package import Messaging
package import Settings

/// The inbox as a push service, which sends to no device: for tokens that begin with `emulated:`, and for all others as
/// long as the gateway has no credentials.
package struct InboxService: PushService {
    package static let name = TransportName.emulated
    package static let keys = SettingKeys(below: "emulator.", InboxSettings.self)
    package static let reachesDevices = false
    package static let outcomes = OutcomeTexts(
        acceptance: "It is in this gateway's inbox, and reached no device; “pushgate inbox” shows it.",
        reasons: [
            "Scripted": "A script of the emulator gave this answer; “pushgate script --reset” removes it."
        ], requirement: nil)

    /// The received notifications.
    package let inbox = Inbox()
    /// The answers for selected notifications.
    package let scripts = EmulatorScripts()
    /// The messages that clients of FCM's interface sent.
    package let sent = SentMessages()
    private let emulated: EmulatedTransport

    package init(settings: InboxSettings, host: PushServiceHost) {
        emulated = EmulatedTransport(inbox: inbox, scripts: scripts, rejection: host.rejection, now: { .now })
    }

    package var transport: any PushTransport { emulated }

    package static func recognizes(_ token: RegistrationToken) -> Bool { token.isEmulated }

    package func change(to settings: InboxSettings) -> @Sendable () -> Void {
        return {}
    }

    package static func examine(_ settings: InboxSettings, host: PushServiceHost) async -> [Finding] { [] }
}

/// The settings of the inbox: none, so it is never off.
package struct InboxSettings: PushServiceSettings, DeclaredSettings {
    package static let settings: [Setting<InboxSettings>] = []

    package init() {}

    package init?(_ settings: SettingsReader, apps: [[String: String]]) {}

    package func needsRestart(for new: InboxSettings) -> Bool { false }
}
