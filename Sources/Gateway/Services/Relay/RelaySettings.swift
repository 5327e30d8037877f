import FCMRelay
import Foundation
import IPAddresses
import Messaging
import Server
import Settings

/// The settings of the relay to Google's FCM.
struct RelaySettings: PushServiceSettings {
    /// The path of a service account's JSON file.
    var serviceAccountPath: String
    /// The address of FCM: scheme, host and port.
    var endpoint: String

    var credentialFiles: [String] { [serviceAccountPath] }
    var trustsSystem: Bool { true }

    /// The account takes effect at a reload.
    func needsRestart(for new: RelaySettings) -> Bool { endpoint != new.endpoint }
}

extension RelaySettings {
    /// The settings as they are written.
    struct Written: DeclaredSettings {
        var serviceAccountPath: String?
        var endpoint: String?

        static let serviceAccountKey = "serviceAccount"
        fileprivate static let endpointKey = "endpoint"

        static let settings: [Setting<Written>] = [
            Setting(
                serviceAccountKey, optional: \.serviceAccountPath, .text("path"), effect: .reload,
                "The key file of a service account of a Firebase project, to send through Google"),
            Setting(
                endpointKey, optional: \.endpoint, .relayEndpoint(),
                absent: "`\(FCMRelayTransport.standardEndpoint)`", "Another address to send to"),
        ]

        init() {}
    }

    /// Reads the settings; `nil` if no service account is configured.
    init?(_ settings: SettingsReader, apps: [[String: String]]) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        guard let path = written.serviceAccountPath else {
            guard written.endpoint == nil else {
                throw settings.problem(
                    Written.serviceAccountKey,
                    "is missing; \(RelayService.keys.prefix)\(Written.endpointKey) has no effect without it")
            }
            return nil
        }
        self.init(serviceAccountPath: path, endpoint: written.endpoint ?? FCMRelayTransport.standardEndpoint)
    }
}

extension SettingForm where Value == String {
    /// The address of the relay.
    fileprivate static func relayEndpoint() -> SettingForm<String> {
        SettingForm<String>("URL") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let endpoint = settings.string(key) else { return nil }
            guard RelaySettings.isEndpoint(endpoint) else {
                throw settings.problem(
                    key, "“\(endpoint)” must be https://, a host and an optional port, without a path")
            }
            return endpoint
        }
    }
}

extension RelaySettings {
    /// Returns `true` for a valid endpoint. The relay sends access tokens there, so plain HTTP is allowed to this
    /// machine only.
    fileprivate static func isEndpoint(_ endpoint: String) -> Bool {
        guard let components = URLComponents(string: endpoint), let host = components.host, !host.isEmpty else {
            return false
        }
        let isProtected =
            components.scheme == "https" || components.scheme == "http" && IPAddress.isLoopback(urlHost: host)
        return isProtected && ["", "/"].contains(components.path) && components.query == nil
            && components.fragment == nil && components.user == nil && components.password == nil
    }
}
