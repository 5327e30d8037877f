import Configuration
package import Functions
import HTTP2Client
import Logging
import Messaging
import Server
import Settings

/// Reading the configuration: flags, then environment variables, then the file, then the defaults of
/// ``GatewayConfiguration``.
extension GatewayConfiguration {
    /// Reads and checks the configuration.
    ///
    /// - Parameters:
    ///   - flags: The command line's settings, by key.
    ///   - environment: The environment variables of the process.
    ///   - file: The path of a YAML file, or `nil`.
    ///   - modules: The systems that can be switched on.
    /// - Throws: ``ConfigurationError`` for the first setting that cannot be used.
    package static func read(
        flags: [String: String], environment: [String: String], file: String?,
        modules: [any FunctionModule.Type] = EnabledModules.available
    ) async throws -> GatewayConfiguration {
        let sources = try reader(flags: flags, environment: environment, file: file, modules: modules)
        return try GatewayConfiguration(
            SettingsReader(sources.reader, environment: environment), apps: sources.file?.apps ?? [], modules: modules)
    }

    /// Returns the sources of ``read(flags:environment:file:)`` before their values are checked.
    static func reader(
        flags: [String: String], environment: [String: String], file: String?,
        modules: [any FunctionModule.Type] = EnabledModules.available
    ) throws(ConfigurationError) -> (reader: ConfigReader, file: ConfigurationFile?) {
        let keys = keys(of: modules)
        if let unknown = flags.keys.sorted().first(where: { !keys.contains($0) }) {
            throw ConfigurationError(key: unknown, problem: "is not a key; \(advice(for: unknown, among: keys))")
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(
                name: "flags",
                values: Dictionary(
                    uniqueKeysWithValues: flags.map { key, value in
                        (AbsoluteConfigKey(ConfigKey(key)), ConfigValue(.string(value), isSecret: true))
                    })),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "pushgate"),
        ]
        let file = try file.map { path throws(ConfigurationError) in
            try ConfigurationFile(path: path, keys: keys, listKeys: listKeys(of: modules))
        }
        if let file { providers.append(InMemoryProvider(name: "file", values: file.values)) }
        return (ConfigReader(providers: providers), file)
    }

    /// All configuration keys.
    static let keys = keys(of: EnabledModules.available)
    /// The keys with values that no other user may read.
    package static let secretKeys = EnabledModules.available.reduce(
        into: Set(["admin.token", "admin.readToken", "http.acme.externalAccount.hmacKey", "store.url"])
    ) {
        $0.formUnion($1.keys.declarations.filter { $0.secrecy == .secret }.map(\.key))
    }

    private static func keys(of modules: [any FunctionModule.Type]) -> Set<String> {
        modules.reduce(into: ownKeys) { $0.formUnion($1.keys.declarations.map(\.key)) }
    }

    private static func listKeys(of modules: [any FunctionModule.Type]) -> Set<String> {
        modules.reduce(into: ownListKeys) { $0.formUnion($1.keys.declarations.filter(\.isList).map(\.key)) }
    }

    /// Returns `true` if no other user may read the value of a key.
    package static func isSecret(_ key: String, _ value: String) -> Bool {
        // A proxy's URL can contain a user and a password.
        secretKeys.contains(key) || key == ProxyRule.key && value.contains("@")
    }

    private static let ownListKeys: Set = [
        "firestore.allowedOrigins", "firestore.allowedPeers", "firestore.automaticIndexes", "firestore.indexes",
        "http.acme.domains", "http.localPeers", "http.names", "http.tls.certificate", "http.tls.key",
        "http.trustedProxies", "metrics.allowedPeers",
    ]

    private static let ownKeys: Set = [
        "admin.readToken", "admin.token", "apns.allowUnconfiguredApps", "apns.bundleId", "apns.caFile", "apns.endpoint",
        "apns.environment", "apns.keyId",
        "apns.keyPath", "apns.proxy", "apns.teamId", "backups.beforeUpgrade", "backups.keep", "data.directory",
        "data.minimumFreeBytes", "fcm.messagesPerMinutePerAccount", "fcm.projectId", "fcm.proxy.port",
        "fcm.relay.endpoint", "fcm.relay.serviceAccount", "fcm.sendWait", "fcm.tls.port", "fcm.unregisteredAs",
        "firestore.allowedOrigins", "firestore.allowedPeers", "firestore.automaticIndexes", "firestore.enabled",
        "firestore.indexes", "firestore.indexWarnings",
        "http.acme.caFile", "http.acme.directory", "http.acme.domains", "http.acme.email",
        "http.acme.externalAccount.hmacKey", "http.acme.externalAccount.keyId", "http.forwardedField", "http.host",
        "http.localPeers", "http.names", "http.port", "http.redirectPort", "http.requestTimeout",
        "http.tls.certificate", "http.tls.host", "http.tls.key", "http.tls.port", "http.trustedProxies",
        "log.format", "log.level", "messages.lifetime", "messages.maximumBytesPerOwner", "messages.retention",
        "metrics.allowedPeers", "store.connections", "store.files", "store.lease", "store.notify", "store.passwordFile",
        "store.url",
    ]

    init(
        _ settings: SettingsReader, apps: [[String: String]], modules: [any FunctionModule.Type]
    ) throws(ConfigurationError) {
        dataDirectory = settings.string("data.directory") ?? dataDirectory
        minimumFreeBytes = try settings.integer("data.minimumFreeBytes", in: 0...Int.max)
        metricsPeers = try settings.list("metrics.allowedPeers", of: HTTP.range) { AddressRange($0) }
        dailyBackups = try settings.integer("backups.keep", in: 0...1_000) ?? dailyBackups
        backsUpBeforeUpgrade = try settings.boolean("backups.beforeUpgrade") ?? backsUpBeforeUpgrade
        adminToken = try Self.token("admin.token", settings)
        readToken = try Self.token("admin.readToken", settings)
        store = try Store(settings)
        http = try HTTP(settings)
        apns = try APNs(settings, apps: apps)
        messageLifetime = try settings.duration("messages.lifetime") ?? messageLifetime
        guard messageLifetime <= Message.longestLifetime else {
            throw settings.problem(
                "messages.lifetime", "“\(settings.string("messages.lifetime") ?? "")” is longer than 30 days")
        }
        messageRetention = try settings.duration("messages.retention") ?? messageRetention
        messageBytesPerOwner =
            try settings.integer("messages.maximumBytesPerOwner", in: 0...Int.max) ?? messageBytesPerOwner
        self.modules = try EnabledModules(modules, settings)
        fcm = try FCM(settings)
        firestore = try Firestore(settings)
        log = try Log(settings)
        try checkBundleIDs()
    }

    private static func token(
        _ key: String, _ settings: SettingsReader
    ) throws(ConfigurationError) -> RedactedString? {
        guard let text = settings.string(key) else { return nil }
        guard text.utf8.count >= DataDirectory.minimumTokenLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw ConfigurationError(
                key: key,
                problem: "must have at least \(DataDirectory.minimumTokenLength) characters of ASCII and no blanks; "
                    + "“head -c 32 /dev/urandom | base64” prints a good one"
                    + (key == "admin.token" ? "; without this key, one is made" : ""))
        }
        return RedactedString(text)
    }
}

extension GatewayConfiguration.HTTP {
    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        host =
            try settings.string("http.host").map { host throws(ConfigurationError) in
                try Self.host(host, for: "http.host")
            } ?? host
        port = try settings.integer("http.port", in: 0...65_535) ?? port
        trustedProxies = try settings.list("http.trustedProxies", of: Self.range) { AddressRange($0) }
        forwardedField = try settings.choice("http.forwardedField") ?? forwardedField
        localPeers = try settings.list("http.localPeers", of: Self.range) { AddressRange($0) }
        names = try settings.list("http.names", of: "a name like push.example.com or https://push.example.com") {
            GatewayName($0)
        }
        requestTimeout = try settings.duration("http.requestTimeout") ?? requestTimeout
        tls = try GatewayConfiguration.TLS(settings)
    }

    fileprivate static let range = "an IP address or a range like 10.0.0.0/8"
}

extension GatewayConfiguration.APNs {
    /// Reads the APNs settings; `nil` if no app is configured.
    ///
    /// - Parameter apps: The file's list of apps. Values that an app lacks come from the keys of `apns`.
    init?(_ settings: SettingsReader, apps list: [[String: String]]) throws(ConfigurationError) {
        var shared: [String: String] = [:]
        for name in GatewayConfiguration.App.required + GatewayConfiguration.App.optional {
            shared[name] = settings.string("apns.\(name)")
        }
        var apps: [GatewayConfiguration.App] = []
        if shared["bundleId"] != nil
            || list.isEmpty && GatewayConfiguration.App.required.contains(where: { shared[$0] != nil })
        {
            apps.append(try GatewayConfiguration.App(shared, at: "apns"))
        }
        shared["bundleId"] = nil
        for (index, app) in list.enumerated() {
            apps.append(try GatewayConfiguration.App(app.merging(shared) { own, _ in own }, at: "apps[\(index)]"))
        }
        for (index, app) in apps.enumerated() where apps[..<index].contains(where: app.isSame) {
            throw ConfigurationError(
                key: "apps",
                problem: "has \(app.bundleID) twice for \(app.environment); give each environment one entry")
        }
        let proxySetting = try ProxyRule.setting(settings)
        guard !apps.isEmpty else { return nil }
        self.apps = apps
        if let proxySetting { proxy = proxySetting } else { proxy = try .environment(settings) }
        caFile = settings.string("apns.caFile")
        allowsUnconfiguredApps =
            try settings.boolean("apns.allowUnconfiguredApps") ?? allowsUnconfiguredApps
    }
}

extension GatewayConfiguration.App {
    fileprivate static let required = ["keyPath", "keyId", "teamId", "bundleId"]
    fileprivate static let optional = ["environment", "endpoint"]

    /// Reads an app's settings.
    ///
    /// - Parameter place: The prefix of the keys in error texts.
    fileprivate init(_ values: [String: String], at place: String) throws(ConfigurationError) {
        if let missing = Self.required.first(where: { values[$0] == nil }) {
            let all = Self.required.map { "\(place).\($0)" }.joined(separator: ", ")
            throw ConfigurationError(
                key: "\(place).\(missing)", problem: "is missing. Real delivery needs all of \(all)")
        }
        self.place = place
        bundleID = values["bundleId"] ?? ""
        keyPath = values["keyPath"] ?? ""
        keyID = values["keyId"] ?? ""
        teamID = values["teamId"] ?? ""
        environment = try SettingsReader.choice(values["environment"], for: "\(place).environment") ?? .sandbox
        endpoint = values["endpoint"]
        try check()
    }

    fileprivate func isSame(_ other: Self) -> Bool { bundleID == other.bundleID && environment == other.environment }
}

extension GatewayConfiguration.Log {
    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        level = try settings.choice("log.level") ?? level
        format = try settings.choice("log.format") ?? format
    }
}

/// The proxy for connections to Apple: `apns.proxy`, otherwise the environment's, by curl's rules.
extension ProxyRule {
    static let key = "apns.proxy"

    /// Returns the proxy of the setting; `nil` if the setting is absent. An empty setting means no proxy, as curl's
    /// `--proxy ""` does.
    static func setting(_ settings: SettingsReader) throws(ConfigurationError) -> ProxyRule? {
        guard let url = settings.anyString(key) else { return nil }
        return url.isEmpty ? .direct : try rule(url, of: key, settings)
    }

    /// Returns the proxy of `https_proxy` or `HTTPS_PROXY`.
    static func environment(_ settings: SettingsReader) throws(ConfigurationError) -> ProxyRule {
        guard let (name, url) = settings.variable("https_proxy", "HTTPS_PROXY") else { return .direct }
        return try rule(url, of: name, settings)
    }

    private static func rule(
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

extension SettingsReader {
    /// Creates a reader of the configuration's sources.
    init(_ reader: ConfigReader, environment: [String: String] = [:]) {
        self.init(environment: environment) { key in
            reader.stringArray(forKey: ConfigKey(key))
        } text: { key in
            reader.string(forKey: ConfigKey(key), isSecret: true)
        }
    }
}
