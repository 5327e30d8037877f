import DocumentStore
import Instance
import Logging
package import Messaging
package import Settings

/// The push services that are switched on, with their settings.
package struct EnabledServices: Sendable {
    private struct Entry: Sendable {
        let type: any PushService.Type
        let settings: any PushServiceSettings
    }

    /// All push services, those that are switched off too.
    package let table: PushServiceTable
    private var entries: [Entry] = []

    /// The services of a gateway without settings.
    static let standard =
        (try? EnabledServices(.available, SettingsReader { _ in nil }, apps: [])) ?? EnabledServices(.available)

    private init(_ table: PushServiceTable) { self.table = table }

    /// Reads and checks the settings of services.
    ///
    /// - Parameter apps: The configuration's list of apps.
    package init(
        _ table: PushServiceTable, _ settings: SettingsReader, apps: [[String: String]]
    ) throws(ConfigurationError) {
        self.table = table
        for service in table.types { try read(service, settings, apps) }
    }

    private mutating func read<Service: PushService>(
        _ service: Service.Type, _ settings: SettingsReader, _ apps: [[String: String]]
    ) throws(ConfigurationError) {
        self[service] = try Service.Settings(settings.below(Service.keys.prefix), apps: apps)
    }

    /// The settings of a service; `nil` if it is switched off.
    package subscript<Service: PushService>(service: Service.Type) -> Service.Settings? {
        get { entries.first { $0.type == service }?.settings as? Service.Settings }
        set {
            let entry = newValue.map { Entry(type: service, settings: $0) }
            let index = entries.firstIndex { $0.type == service } ?? entries.endIndex
            entries.replaceSubrange(index..<min(index + 1, entries.endIndex), with: [entry].compactMap(\.self))
        }
    }

    /// The settings of all services that are switched on.
    var settings: [any PushServiceSettings] { entries.map(\.settings) }

    /// `true` if a service has settings that sends to devices.
    var reachDevices: Bool { entries.contains { $0.type.reachesDevices } }
}

/// The assembly, and its changes.
extension EnabledServices {
    /// Creates the services that are switched on, in the order of the table.
    func make(_ host: PushServiceHost) throws(ConfigurationError) -> [any PushService] {
        var services: [any PushService] = []
        for type in table.types {
            if let service = try make(type, host) { services.append(service) }
        }
        return services
    }

    private func make<Service: PushService>(
        _ service: Service.Type, _ host: PushServiceHost
    ) throws(ConfigurationError) -> (any PushService)? {
        guard let settings = self[service] else { return nil }
        return try Service(settings: settings, host: host)
    }

    /// Reads the credentials of these settings for running services.
    ///
    /// - Returns: The functions that put them to use.
    func changes(of services: [any PushService]) throws(ConfigurationError) -> [@Sendable () -> Void] {
        var changes: [@Sendable () -> Void] = []
        for service in services {
            if let update = try change(of: service) { changes.append(update) }
        }
        return changes
    }

    private func change<Service: PushService>(
        of service: Service
    ) throws(ConfigurationError) -> (@Sendable () -> Void)? {
        guard let settings = self[Service.self] else { return nil }
        return try service.change(to: settings)
    }

    /// Returns the sections of services whose settings differ so that only a restart applies them.
    func sectionsToRestart(for new: EnabledServices) -> [String] {
        table.types.filter { needsRestart($0, for: new) }.map { $0.keys.section }
    }

    private func needsRestart<Service: PushService>(_ service: Service.Type, for new: EnabledServices) -> Bool {
        switch (self[service], new[service]) {
        case (nil, nil): false
        case (let settings?, let other?): settings.needsRestart(for: other)
        default: true
        }
    }

    /// Checks the settings of systems that name environments of tokens.
    func check(environments: [(key: String, name: String)]) throws(ConfigurationError) {
        let forms = table.forms
        for (key, name) in environments where forms.environment(name) == nil {
            let names = forms.environments.joined(separator: ", ")
            throw ConfigurationError(
                key: key,
                problem: names.isEmpty
                    ? "must not be set: no push service of this gateway has environments"
                    : "“\(name)” is not one of \(names)")
        }
    }

    /// Checks the settings of systems that name apps.
    func check(bundleIDs: [(key: String, bundleID: String)]) throws(ConfigurationError) {
        for service in table.types { try check(service, bundleIDs) }
    }

    private func check<Service: PushService>(
        _ service: Service.Type, _ bundleIDs: [(key: String, bundleID: String)]
    ) throws(ConfigurationError) {
        try Service.check(self[service], bundleIDs: bundleIDs)
    }
}

/// The examination.
extension EnabledServices {
    /// Reads the credentials of all services.
    func checkCredentials(_ host: PushServiceHost) throws(ConfigurationError) {
        for service in table.types { try checkCredentials(service, host) }
    }

    private func checkCredentials<Service: PushService>(
        _ service: Service.Type, _ host: PushServiceHost
    ) throws(ConfigurationError) {
        guard let settings = self[service] else { return }
        try Service.checkCredentials(settings, host: host)
    }

    /// Examines the way to one service; there is no finding if it is switched off.
    func examine<Service: PushService>(_ service: Service.Type, _ host: PushServiceHost) async -> [Finding] {
        guard let settings = self[service] else { return [] }
        return await Service.examine(settings, host: host)
    }
}

extension SettingKeys {
    /// The first part of the keys, such as `fcm`.
    var section: String { String(prefix.prefix { $0 != "." }) }
}

extension PushServiceHost {
    /// Creates the host of a gateway with a configuration.
    ///
    /// - Parameters:
    ///   - secrets: Keeps the secrets that services make for themselves.
    ///   - survey: Returns the survey of registered browsers.
    ///   - store: The gateway's documents.
    ///   - now: The time in seconds since 1970.
    init(
        _ configuration: GatewayConfiguration, secrets: @escaping SecretKeeper,
        survey: @escaping @Sendable () async -> SubscriptionSurvey? = { nil }, store: (any DocumentStore)? = nil,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.init(
            bundleIDs: Set(configuration.modules.bundleIDs.map(\.bundleID)), publicURL: configuration.http.publicURL,
            browserPage: configuration.modules.browserPage, rejection: configuration.services.table.rejection,
            contents: { key, path, expected throws(ConfigurationError) in
                try ConfiguredFile(key: key, path: path, expected: expected).contents()
            },
            authorities: { key, path throws(ConfigurationError) in
                try ConfiguredFile(authorities: key, path).checkAuthorities()
            }, secrets: secrets, survey: survey, store: store, now: now, logger: logger)
    }
}
