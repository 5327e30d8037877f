internal import Configuration
internal import Functions
internal import Logging
internal import Messaging
internal import SystemPackage

/// Reads the configuration: flags, then environment, then file, then the defaults of ``GatewayConfiguration``.
extension GatewayConfiguration {
    /// - Parameters:
    ///   - flags: what the command line gave, by key.
    ///   - environment: the process's variables.
    ///   - file: the path of a YAML file, or nil.
    public static func read(
        flags: [String: String], environment: [String: String], file: String?
    ) async throws -> GatewayConfiguration {
        if let unknown = flags.keys.sorted().first(where: { !keys.contains($0) }) {
            throw ConfigurationError(key: unknown, problem: "is no key; docs/configuration.md lists them")
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
        if let file { providers.append(try await fileProvider(file)) }
        return try GatewayConfiguration(Settings(ConfigReader(providers: providers)))
    }

    /// Every key there is.
    private static let keys: Set<String> = [
        "admin.token", "apns.bundleId", "apns.caFile", "apns.endpoint", "apns.environment", "apns.keyId",
        "apns.keyPath", "apns.teamId", "data.directory", "functions.codeagents.minimumSecretLength",
        "functions.codeagents.newServersPerHourPerAddress", "functions.codeagents.requestsPerMinutePerAddress",
        "functions.codeagents.requestsPerMinutePerSecret", "functions.codeagents.triggerWait", "http.host",
        "http.port", "http.requestTimeout", "http.trustedProxies", "log.format", "log.level",
        "messages.retention",
    ]

    private static func fileProvider(_ path: String) async throws -> any ConfigProvider {
        do {
            return try await FileProvider<YAMLSnapshot>(filePath: FilePath(path))
        } catch {
            throw ConfigurationError(key: "--config", problem: "cannot read \(path) as YAML: \(error)")
        }
    }

    init(_ settings: Settings) throws(ConfigurationError) {
        dataDirectory = settings.string("data.directory") ?? dataDirectory
        adminToken = settings.string("admin.token").map(RedactedString.init)
        http = try HTTP(settings)
        apns = try APNs(settings)
        messageRetention = try settings.duration("messages.retention") ?? messageRetention
        codeAgents = try CodeAgentsConfiguration(settings)
        log = try Log(settings)
    }
}

extension GatewayConfiguration.HTTP {
    init(_ settings: Settings) throws(ConfigurationError) {
        self.init()
        host = settings.string("http.host") ?? host
        port = try settings.integer("http.port", in: 0...65_535) ?? port
        trustedProxies = try settings.list("http.trustedProxies", of: "an IP address or a range like 10.0.0.0/8") {
            AddressRange($0)
        }
        requestTimeout = try settings.duration("http.requestTimeout") ?? requestTimeout
    }
}

extension GatewayConfiguration.APNs {
    /// nil when no key of `apns` but `endpoint` and `caFile` is set; an error when only some are.
    init?(_ settings: Settings) throws(ConfigurationError) {
        let required = ["apns.keyPath", "apns.keyId", "apns.teamId", "apns.bundleId"]
        let missing = required.filter { settings.string($0) == nil }
        guard missing.count < required.count else { return nil }
        if let key = missing.first {
            throw ConfigurationError(
                key: key, problem: "is missing. Real delivery needs all of \(required.joined(separator: ", "))")
        }
        keyPath = settings.string("apns.keyPath") ?? ""
        keyID = settings.string("apns.keyId") ?? ""
        teamID = settings.string("apns.teamId") ?? ""
        bundleID = settings.string("apns.bundleId") ?? ""
        environment = try settings.choice("apns.environment") ?? .sandbox
        endpoint = settings.string("apns.endpoint")
        caFile = settings.string("apns.caFile")
        if let endpoint, !endpoint.hasPrefix("https://") {
            throw ConfigurationError(key: "apns.endpoint", problem: "must begin with https://, and end with the port")
        }
    }
}

extension CodeAgentsConfiguration {
    init(_ settings: Settings) throws(ConfigurationError) {
        self.init()
        let prefix = "functions.codeagents."
        let counts = 0...1_000_000_000
        minimumSecretLength =
            try settings.integer(prefix + "minimumSecretLength", in: 1...256) ?? minimumSecretLength
        triggerWait = try settings.duration(prefix + "triggerWait") ?? triggerWait
        requestsPerMinutePerSecret =
            try settings.integer(prefix + "requestsPerMinutePerSecret", in: counts) ?? requestsPerMinutePerSecret
        requestsPerMinutePerAddress =
            try settings.integer(prefix + "requestsPerMinutePerAddress", in: counts) ?? requestsPerMinutePerAddress
        newServersPerHourPerAddress =
            try settings.integer(prefix + "newServersPerHourPerAddress", in: counts) ?? newServersPerHourPerAddress
    }
}

extension GatewayConfiguration.Log {
    init(_ settings: Settings) throws(ConfigurationError) {
        self.init()
        level = try settings.choice("log.level") ?? level
        format = try settings.choice("log.format") ?? format
    }
}
