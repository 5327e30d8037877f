package import Functions
import Instance
import Logging
package import Messaging
import Secrets
import Server
package import Settings

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
    ///   - services: The push services that can be switched on.
    /// - Throws: ``ConfigurationError`` for the first setting that cannot be used.
    package static func read(
        flags: [String: String], environment: [String: String], file: String?,
        modules: [any FunctionModule.Type] = EnabledModules.available, services: PushServiceTable = .available
    ) async throws -> GatewayConfiguration {
        let sources = try ConfigurationSources(
            flags: flags, environment: environment, file: file, declarations: allDeclarations(of: modules, services))
        return try GatewayConfiguration(sources.reader, apps: sources.apps, modules: modules, services: services)
    }

    init(
        _ settings: SettingsReader, apps: [[String: String]], modules: [any FunctionModule.Type],
        services: PushServiceTable
    ) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        store = try Store(settings)
        http = try HTTP(settings)
        self.services = try EnabledServices(services, settings, apps: apps)
        self.modules = try EnabledModules(modules, settings)
        fcm = try FCM(settings)
        firestore = try Firestore(settings)
        try log.apply(settings)
        try self.services.check(bundleIDs: self.modules.bundleIDs)
    }
}

extension GatewayConfiguration: DeclaredSettings {
    /// The settings outside sections that have a type, each declared once.
    package static let settings: [Setting<GatewayConfiguration>] = [
        Setting("data.directory", \.dataDirectory, .text("path"), "The data directory"),
        Setting(
            "data.minimumFreeBytes", optional: \.minimumFreeBytes, .integer(0...Int.max),
            absent: "the larger of 268435456 and 2 % of the disk",
            "The free space of the data directory's disk below which no new data are accepted"),
        Setting(
            "metrics.allowedPeers", \.metricsPeers, .peers("10.0.0.0/8"),
            "The peers that read the metrics without the admin token"),
        Setting("backups.keep", \.dailyBackups, .integer(0...1_000), "The number of daily backups to keep"),
        Setting(
            "backups.beforeUpgrade", \.backsUpBeforeUpgrade, .boolean(),
            "Makes a backup before a newer version updates the database"),
        Setting(
            "admin.token", optional: \.adminToken,
            .token(
                "secret of \(DataDirectory.minimumTokenLength) characters or more, ASCII without blanks",
                ifAbsent: "; without this key, one is made"),
            absent: "made at the first start", secrecy: .secret,
            "The token that gives access to every document and the inbox"),
        Setting(
            "admin.readToken", optional: \.readToken, .token("secret as `admin.token`"), secrecy: .secret,
            "The token with which the console can be read, and nothing changed"),
        Setting(
            "messages.lifetime", \.messageLifetime,
            .duration { value, text in
                value > Message.longestLifetime ? "“\(text)” is longer than 30 days" : nil
            },
            "The time for which delivery of a message is retried"),
        Setting(
            "messages.retention", \.messageRetention, .duration(), "The time for which a settled message is kept"),
        Setting(
            "messages.maximumBytesPerOwner", \.messageBytesPerOwner, .integer(0...Int.max),
            "The largest total size of the settled messages of one owner; 0 for no limit"),
    ]

    /// The declarations of all settings of the gateway itself.
    private static let ownDeclarations: [SettingDeclaration] = {
        let rooms: [[SettingDeclaration]] = [
            GatewayConfiguration.declarations(), HTTP.declarations(), TLS.Written.declarations(),
            ACME.Written.declarations(),
            Store.declarations(), Log.declarations(), FCM.declarations(), Firestore.declarations(),
        ]
        return rooms.flatMap { $0 }
    }()

    /// Returns the declarations of all settings.
    ///
    /// - Parameters:
    ///   - modules: The systems that can be switched on.
    ///   - services: The push services that can be switched on.
    package static func allDeclarations(
        of modules: [any FunctionModule.Type] = EnabledModules.available, _ services: PushServiceTable = .available
    ) -> [SettingDeclaration] {
        ownDeclarations + services.types.flatMap { $0.keys.declarations } + modules.flatMap { $0.keys.declarations }
    }

    /// All configuration keys.
    static let keys = Set(allDeclarations().map(\.key))

    /// Returns the declaration of a key; `nil` if it is not one.
    static func declaration(of key: String) -> SettingDeclaration? {
        allDeclarations().first { $0.key == key }
    }

    /// Returns the help of a flag that sets a key: the meaning, the key and the default.
    package static func help(for key: String) -> String {
        guard let setting = declaration(of: key) else { return "Sets \(key)." }
        return "\(setting.meaning) (\(key), \(setting.plainStandard))."
    }

    /// Returns `true` if no other user may read the value of a key.
    package static func isSecret(_ key: String, _ value: String) -> Bool {
        declaration(of: key)?.isSecret(value) == true
    }
}

extension SettingForm where Value == RedactedString {
    /// A token of the operator's.
    ///
    /// - Parameter advice: The end of the error about a token that cannot be used.
    fileprivate static func token(_ name: String, ifAbsent advice: String = "") -> SettingForm<RedactedString> {
        SettingForm<RedactedString>(name) { _ in
            "`<redacted>`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard text.utf8.count >= DataDirectory.minimumTokenLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw settings.problem(
                    key,
                    "must have at least \(DataDirectory.minimumTokenLength) characters of ASCII and no blanks; "
                        + "“head -c 32 /dev/urandom | base64” prints a good one\(advice)")
            }
            return RedactedString(text)
        }
    }
}

extension SettingForm where Value == [AddressRange] {
    /// A list of addresses and ranges.
    ///
    /// - Parameter example: A range for error texts.
    static func peers(_ example: String) -> SettingForm<[AddressRange]> {
        list("list of addresses and ranges", of: "an IP address or a range like \(example)", { AddressRange($0) })
    }
}

extension GatewayConfiguration.HTTP: DeclaredSettings {
    /// The settings outside `http.tls` and `http.acme`, each declared once.
    package static let settings: [Setting<GatewayConfiguration.HTTP>] = [
        Setting("http.host", \.host, .host(), "The address to listen on"),
        Setting("http.port", \.port, .integer(0...65_535), "The port to listen on, 0 for any free port"),
        Setting(
            "http.trustedProxies", \.trustedProxies, .peers("10.0.0.0/8"),
            "The peers whose http.forwardedField is believed"),
        Setting(
            "http.forwardedField", \.forwardedField,
            .choice { field in
                switch field {
                case .xForwardedFor: "X-Forwarded-For"
                case .forwarded: "Forwarded"
                }
            },
            "The field in which the trusted proxies name the client"),
        Setting("http.localPeers", \.localPeers, .peers("10.0.0.0/8"), "The peers that count as loopback"),
        Setting(
            "http.names", \.names,
            .list(
                "list of names", of: "a name like push.example.com or https://push.example.com", { GatewayName($0) }),
            "The names of the gateway, in addition to loopback's"),
        Setting("http.requestTimeout", \.requestTimeout, .duration(), "The time a client may take to send a request"),
    ]

    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        tls = try GatewayConfiguration.TLS(settings)
    }
}

extension SettingForm where Value == String {
    /// An address or host name to listen on.
    static func host() -> SettingForm<String> {
        SettingForm<String>("text") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            return try GatewayConfiguration.HTTP.host(text, for: key)
        }
    }
}

extension GatewayConfiguration.Log: DeclaredSettings {
    /// The settings, each declared once.
    package static let settings: [Setting<GatewayConfiguration.Log>] = [
        Setting(
            "log.level", \.level,
            .choice("`trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical`"),
            "The log level: trace, debug, info, notice, warning, error or critical"),
        Setting("log.format", \.format, .choice(), "The log format: human or json"),
    ]
}
