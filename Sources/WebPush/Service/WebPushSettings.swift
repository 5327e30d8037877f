import Cryptography
import HTTP2Client
import Messaging
package import Secrets
package import Settings

/// The settings of Web Push. The operator's address switches it on.
package struct WebPushSettings: PushServiceSettings {
    /// The address at which push services reach the operator: `mailto:` or `https:`.
    package var subject: String
    /// The settings beside it.
    package var written: Written

    package init(subject: String) {
        self.subject = subject
        written = Written()
        written.subject = subject
    }

    package var authorityFile: (key: String, path: String)? {
        written.caFile.map { (key: BrowserPushService.keys.prefix + Written.caFileKey, path: $0) }
    }
    package var trustsSystem: Bool { written.caFile == nil }

    /// The rules for the servers of endpoints.
    package var policy: EndpointPolicy {
        EndpointPolicy(allowedHosts: written.allowedHosts, ports: Set(written.allowedPorts))
    }

    /// The servers that stand in for hosts.
    var connectTo: [String: HTTP2Origin] {
        Dictionary(written.connectTo.map { ($0.host, $0.server) }) { first, _ in first }
    }

    package func needsRestart(for new: WebPushSettings) -> Bool {
        written.caFile != new.written.caFile || written.connectTo != new.written.connectTo
    }
}

extension WebPushSettings {
    /// The settings as they are written.
    package struct Written: DeclaredSettings {
        package var subject: String?
        package var privateKey: RedactedString?
        package var payload = WebPushPayload.Form.declarative
        package var navigate: NavigationTemplate?
        package var allowedHosts: [AllowedHost] = []
        package var allowedPorts = [WebPushEndpoint.standardPort]
        package var caFile: String?
        package var connectTo: [ServerSubstitute] = []

        static let subjectKey = "subject"
        static let privateKeyKey = "privateKey"
        static let caFileKey = "caFile"

        package static let settings: [Setting<Written>] = [
            Setting(
                subjectKey, optional: \.subject, .operatorAddress(), effect: .reload,
                "The operator's address for push services; switches Web Push on"),
            Setting(
                privateKeyKey, optional: \.privateKey, .vapidKey(), absent: "one that the gateway makes",
                secrecy: .secret, effect: .reload, "The VAPID key, if another than the gateway's own is to be used"),
            Setting(
                "payload", \.payload, .choice(), effect: .reload,
                "The content of messages: a notification with its data, or the data alone"),
            Setting(
                "navigate", optional: \.navigate, .navigation(), absent: "the page `/try` of `http.publicUrl`",
                effect: .reload, "The URL that a notification opens"),
            Setting(
                "allowedHosts", \.allowedHosts,
                .list(
                    "list of hosts", of: "a host like ntfy.example.com, *.example.com or 192.168.1.5:8443",
                    { AllowedHost($0) }),
                effect: .reload, "Hosts of push services that may have private addresses"),
            Setting(
                "allowedPorts", \.allowedPorts,
                .list(
                    "list of ports", of: "a port from 1 to 65535", { UInt16($0).flatMap { $0 > 0 ? Int($0) : nil } }),
                effect: .reload, "The ports that endpoints may have"),
            Setting(
                caFileKey, optional: \.caFile, .text("path"), absent: "the system's authorities",
                "A PEM file of other authorities to trust"),
            Setting(
                "connectTo", \.connectTo,
                .list(
                    "list of hosts and servers", of: "a host and a server like fcm.googleapis.com=127.0.0.1:8443",
                    { ServerSubstitute($0) }),
                "Servers that stand in for push services, for tests"),
        ]

        package init() {}

        /// The key of a setting other than the operator's address that differs from its default; `nil` if none does.
        fileprivate var firstBesideSubject: String? {
            if privateKey != nil { return Self.privateKeyKey }
            if caFile != nil { return Self.caFileKey }
            if navigate != nil { return "navigate" }
            if payload != .declarative { return "payload" }
            if !allowedHosts.isEmpty { return "allowedHosts" }
            if allowedPorts != [WebPushEndpoint.standardPort] { return "allowedPorts" }
            return connectTo.isEmpty ? nil : "connectTo"
        }
    }

    /// Reads the settings; `nil` without an operator's address.
    package init?(_ settings: SettingsReader, apps: [[String: String]]) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        guard let subject = written.subject else {
            guard let other = written.firstBesideSubject else { return nil }
            throw settings.problem(
                Written.subjectKey, "is missing; \(BrowserPushService.keys.prefix)\(other) has no effect without it")
        }
        self.subject = subject
        self.written = written
    }
}

extension SettingForm where Value == String {
    /// The address of an operator.
    fileprivate static func operatorAddress() -> SettingForm<String> {
        SettingForm<String>("`mailto:` or `https://` address") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            if let problem = OperatorAddress.problem(with: text) { throw settings.problem(key, "“\(text)” \(problem)") }
            return text
        }
    }
}

extension SettingForm where Value == RedactedString {
    /// A VAPID key.
    fileprivate static func vapidKey() -> SettingForm<RedactedString> {
        SettingForm<RedactedString>("PEM or base64url") { _ in
            "none"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            do throws(CryptographyError) {
                _ = try VAPIDKey.read(text)
            } catch {
                throw settings.problem(
                    key, "must be a private key on P-256, in PEM or as its 32 bytes in base64url: \(error.reason)")
            }
            return RedactedString(text)
        }
    }
}

extension SettingForm where Value == NavigationTemplate {
    /// The template of a URL.
    fileprivate static func navigation() -> SettingForm<NavigationTemplate> {
        SettingForm<NavigationTemplate>("URL") { _ in
            "none"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard let template = NavigationTemplate(text) else {
                throw settings.problem(
                    key,
                    "“\(text)” must be an https URL, in which names in braces behind the host stand for values of the "
                        + "data, as in https://app.example.com/agents/{agent_key}")
            }
            return template
        }
    }
}
