package import FCMInterface
package import Settings
import Texts

/// The settings of FCM's interface.
package struct FCMSection: ConfigurationSection {
    static let name = "fcm"

    /// The id of the Firebase project that the gateway presents itself as.
    package var projectID = "pushgate"
    /// The time that `messages:send` waits for the push service before it answers that the message is accepted.
    package var sendWait = Duration.seconds(10)
    /// The maximum number of `messages:send` a minute with the access tokens of one service account; 0 removes the
    /// limit. The default is FCM's own for a project.
    package var messagesPerMinutePerAccount = 600_000
    /// The error that reports a token that Apple calls unregistered.
    package var unregisteredAs = UnregisteredError.unregistered
    /// The port for TLS connections under Google's host names; 0 for any free port, `nil` for none.
    package var tlsPort: Int?
    /// The port of the proxy that leads to the TLS listener; 0 for any free port, `nil` for none.
    package var proxyPort: Int?

    /// The settings of the endpoints.
    var interface: FCMSettings {
        FCMSettings(
            projectID: projectID, sendWait: sendWait, messagesPerMinutePerAccount: messagesPerMinutePerAccount,
            unregisteredAs: unregisteredAs)
    }

    /// The settings, each declared once.
    package static let settings: [Setting<FCMSection>] = [
        Setting("fcm.projectId", \.projectID, .projectID(), "The gateway's own name as a Firebase project"),
        Setting(
            "fcm.sendWait", \.sendWait, .duration(), "The time that messages:send waits for the push service"),
        Setting(
            "fcm.messagesPerMinutePerAccount", \.messagesPerMinutePerAccount, .count(),
            "The largest number of messages:send a minute for one service account; 0 for no limit"),
        Setting(
            "fcm.unregisteredAs", \.unregisteredAs, .choice(),
            "The answer of messages:send if Apple reports that a token is gone"),
        Setting(
            "fcm.tls.port", optional: \.tlsPort, .integer(0...65_535), "The port for TLS under Google's names"),
        Setting(
            "fcm.proxy.port", optional: \.proxyPort, .integer(0...65_535),
            "The port of a proxy that leads to the gateway under Google's names"),
    ]

    package init() {}
}

extension SettingForm where Value == String {
    /// The id of a Firebase project.
    fileprivate static func projectID() -> SettingForm<String> {
        SettingForm<String>("up to 63 lower-case letters, digits and hyphens") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let id = settings.string(key) else { return nil }
            let isAllowed = id.utf8.allSatisfy { byte in
                byte.isASCIILetterOrDigit && !byte.isASCIIUppercaseLetter || byte == UInt8(ascii: "-")
            }
            guard isAllowed, id.count <= 63 else {
                throw settings.problem(key, "must consist of at most 63 lower-case letters, digits and hyphens")
            }
            return id
        }
    }
}
