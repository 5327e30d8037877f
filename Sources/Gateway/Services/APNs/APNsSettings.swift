import APNs
import HTTP2Client
import Messaging
import Settings

/// The settings for Apple's push service.
struct APNsSettings: PushServiceSettings {
    /// The configured apps. The first one is the app of registrations that name none.
    var apps: [App]
    /// `true` to send for apps that are not listed as well, with the first app's key.
    var allowsUnconfiguredApps = false
    /// The path of a PEM file of certificate authorities to trust in place of the system's.
    var caFile: String?
    /// The proxy for connections to Apple, and the hosts that bypass it.
    var proxy = ProxyRule.direct

    /// The settings of an app: bundle id, signing key and environment.
    struct App: Sendable {
        /// The prefix of the app's keys in error texts: `apns`, or `apps[2]`.
        var place: String
        /// The bundle id.
        var bundleID: String
        /// The path of the signing key, a .p8 file.
        var keyPath: String
        /// The key id.
        var keyID: String
        /// The team id.
        var teamID: String
        /// The environment of the app's devices.
        var environment: APNsEnvironment
        /// The URL to send to in place of Apple's hosts.
        var endpoint: String?
        /// The URL to publish broadcasts at.
        var broadcastEndpoint: String?
        /// The URL of the management of channels.
        var channelEndpoint: String?
    }

    var bundleIDs: [String] { apps.map(\.bundleID) }
    var credentialFiles: [String] { Set(apps.map(\.keyPath)).sorted() }
    var authorityFile: (key: String, path: String)? { caFile.map { (key: "apns.caFile", path: $0) } }
    var trustsSystem: Bool { caFile == nil }

    /// Apps and keys take effect at a reload.
    func needsRestart(for new: APNsSettings) -> Bool { caFile != new.caFile || proxy != new.proxy }
}

extension APNsSettings.App {
    /// The settings of an app as they are written: the keys of `apns`, and those of each entry of `apps`.
    struct Written: DeclaredSettings {
        var keyPath: String?
        var keyID: String?
        var teamID: String?
        var bundleID: String?
        var environment: APNsEnvironment?
        var endpoint: String?
        var broadcastEndpoint: String?
        var channelEndpoint: String?

        private static let keyPathName = "keyPath"
        private static let keyIDName = "keyId"
        private static let teamIDName = "teamId"
        private static let bundleIDName = "bundleId"

        static let settings: [Setting<Written>] = [
            Setting(keyPathName, optional: \.keyPath, .text("path"), effect: .reload, "The .p8 file"),
            Setting(
                keyIDName, optional: \.keyID, .text("ten capital letters and digits"), effect: .reload,
                "The key's id"),
            Setting(
                teamIDName, optional: \.teamID, .text("ten capital letters and digits"), effect: .reload,
                "The team's id"),
            Setting(
                bundleIDName, optional: \.bundleID, .text(), effect: .reload,
                "The app of a registration that names none"),
            Setting(
                "environment", optional: \.environment, .choice(), absent: "`\(standardEnvironment.rawValue)`",
                effect: .reload, "The environment that is tried first"),
            Setting(
                "endpoint", optional: \.endpoint, .text("URL"), absent: "Apple's hosts", effect: .reload,
                "Another address to send to"),
            Setting(
                "broadcastEndpoint", optional: \.broadcastEndpoint, .text("URL"),
                absent: "the host for notifications", effect: .reload,
                "Another address to publish to channels at"),
            Setting(
                "channelEndpoint", optional: \.channelEndpoint, .text("URL"), absent: "Apple's hosts", effect: .reload,
                "Another address to manage channels at"),
        ]

        static let standardEnvironment = APNsEnvironment.sandbox

        /// The names of the keys of an app.
        static var names: Set<String> { Set(declarations().map(\.key)) }

        /// The values that an app must have, by the names of their keys.
        fileprivate var required: [(name: String, value: String?)] {
            [
                (Self.keyPathName, keyPath), (Self.keyIDName, keyID), (Self.teamIDName, teamID),
                (Self.bundleIDName, bundleID),
            ]
        }

        init() {}
    }

    /// Checks an app's settings.
    ///
    /// - Parameter place: The prefix of the keys in error texts.
    fileprivate init(_ written: Written, at place: String) throws(ConfigurationError) {
        let required = written.required
        if let missing = required.first(where: { $0.value == nil }) {
            let all = required.map { "\(place).\($0.name)" }.joined(separator: ", ")
            throw ConfigurationError(
                key: "\(place).\(missing.name)", problem: "is missing. Real delivery needs all of \(all)")
        }
        self.place = place
        bundleID = written.bundleID ?? ""
        keyPath = written.keyPath ?? ""
        keyID = written.keyID ?? ""
        teamID = written.teamID ?? ""
        environment = written.environment ?? Written.standardEnvironment
        endpoint = written.endpoint
        broadcastEndpoint = written.broadcastEndpoint
        channelEndpoint = written.channelEndpoint
        try check()
    }

    fileprivate func isSame(_ other: Self) -> Bool { bundleID == other.bundleID && environment == other.environment }
}

extension APNsSettings {
    /// The settings outside those of apps, as they are written.
    struct Written: DeclaredSettings {
        var allowsUnconfiguredApps = false
        var caFile: String?
        var proxy: ProxyRule?

        static let settings: [Setting<Written>] = [
            Setting(
                "allowUnconfiguredApps", \.allowsUnconfiguredApps, .boolean(), effect: .reload,
                "Sends for apps that are not configured, with the first key"),
            Setting(
                "caFile", optional: \.caFile, .text("path"), absent: "the system's authorities",
                "A PEM file of other authorities to trust"),
            Setting(
                ProxyRule.name, optional: \.proxy, .proxy(), absent: "the environment's", secrecy: .user,
                "The proxy to connect through"),
        ]

        init() {}
    }

    /// Reads the settings; `nil` if no app is configured.
    ///
    /// - Parameter list: The file's list of apps. Values that an app lacks come from the keys of `apns`.
    init?(_ settings: SettingsReader, apps list: [[String: String]]) throws(ConfigurationError) {
        var shared = App.Written()
        try shared.apply(settings)
        var apps: [App] = []
        if shared.bundleID != nil || list.isEmpty && shared.required.contains(where: { $0.value != nil }) {
            apps.append(try App(shared, at: "apns"))
        }
        shared.bundleID = nil
        for (index, values) in list.enumerated() {
            let place = "apps[\(index)]"
            let entry = SettingsReader(text: { key in values[String(key.dropFirst(place.count + 1))] })
            var written = shared
            try written.apply(entry.below("\(place)."))
            apps.append(try App(written, at: place))
        }
        for (index, app) in apps.enumerated() where apps[..<index].contains(where: app.isSame) {
            throw ConfigurationError(
                key: "apps",
                problem: "has \(app.bundleID) twice for \(app.environment); give each environment one entry")
        }
        var written = Written()
        try written.apply(settings)
        guard !apps.isEmpty else { return nil }
        self.apps = apps
        if let setting = written.proxy { proxy = setting } else { proxy = try .environment(settings) }
        caFile = written.caFile
        allowsUnconfiguredApps = written.allowsUnconfiguredApps
    }
}

extension SettingForm where Value == ProxyRule {
    /// A proxy's URL. An empty setting means no proxy, as curl's `--proxy ""` does.
    fileprivate static func proxy() -> SettingForm<ProxyRule> {
        SettingForm<ProxyRule>("URL") { _ in
            "none"
        } read: { settings, key throws(ConfigurationError) in
            guard let url = settings.anyString(key) else { return nil }
            return url.isEmpty ? .direct : try ProxyRule.rule(url, of: ProxyRule.key, settings)
        }
    }
}

/// The proxy for connections to Apple: `apns.proxy`, otherwise the environment's, by curl's rules.
extension ProxyRule {
    fileprivate static let name = "proxy"
    fileprivate static let key = "apns.\(name)"

    /// Returns the proxy of `https_proxy` or `HTTPS_PROXY`.
    fileprivate static func environment(_ settings: SettingsReader) throws(ConfigurationError) -> ProxyRule {
        guard let (name, url) = settings.variable("https_proxy", "HTTPS_PROXY") else { return .direct }
        return try rule(url, of: name, settings)
    }

    fileprivate static func rule(
        _ url: String, of name: String, _ settings: SettingsReader
    ) throws(ConfigurationError) -> ProxyRule {
        let exceptions = NoProxyList(settings.variable("no_proxy", "NO_PROXY")?.value ?? "")
        do {
            return ProxyRule(try HTTPProxy(url), except: exceptions)
        } catch {
            let advice = name == key ? "" : ". Or set \(key), which takes precedence; an empty value means no proxy"
            throw ConfigurationError(key: name, problem: "\(error)\(advice)")
        }
    }
}
