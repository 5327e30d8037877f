package import Functions
import Instance
package import Messaging
import Settings

/// The settings of a gateway: its sections, push services and systems. docs/configuration.md describes each key with
/// its default and the reason for it.
package struct GatewayConfiguration: Sendable {
    /// The settings of the HTTP server.
    package var http = HTTPSection()
    /// The settings of the data directory.
    package var data = DataSection()
    /// The settings of the document store.
    package var store = StoreSection()
    /// The settings of the log.
    package var log = LogSection()
    /// The settings of the operator's tokens.
    package var admin = AdminSection()
    /// The settings of the backups.
    package var backups = BackupsSection()
    /// The settings of the metrics.
    package var metrics = MetricsSection()
    /// The settings of stored messages.
    package var messages = MessagesSection()
    /// The settings of Live Activities.
    package var liveActivities = LiveActivitiesSection()
    /// The settings of receipts.
    package var receipts = ReceiptsSection()
    /// The settings of the registrations of browsers.
    package var webPush = WebPushSection()
    /// The settings of the webhooks that the configuration names.
    package var webhooks = WebhooksSection()
    /// The settings of FCM's interface.
    package var fcm = FCMSection()
    /// The settings of Firestore's interface.
    package var firestore = FirestoreSection()
    /// The push services that are switched on. Without credentials for one, notifications stay in the inbox.
    package var services = EnabledServices.standard
    /// The systems that are switched on.
    package var modules = EnabledModules.standard
    /// The warnings about settings that were read and have no effect.
    package private(set) var warnings: [SettingWarning] = []
    /// The files that the settings were read from: the YAML file, and those of secrets.
    private(set) var files: [ConfiguredFile] = []

    package init() {}

    /// Reads and checks the configuration: flags, then environment variables, then the file, then the defaults.
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
        let table = SettingTable(modules, services)
        let sources = try ConfigurationSources(flags: flags, environment: environment, file: file, table)
        var configuration = try GatewayConfiguration(
            sources.reader, apps: sources.apps, modules: modules, services: services)
        configuration.warnings = sources.warnings
        configuration.files = sources.files
        return configuration
    }

    private init(
        _ settings: SettingsReader, apps: [[String: String]], modules: [any FunctionModule.Type],
        services: PushServiceTable
    ) throws(ConfigurationError) {
        data = try DataSection(settings)
        metrics = try MetricsSection(settings)
        backups = try BackupsSection(settings)
        admin = try AdminSection(settings)
        messages = try MessagesSection(settings)
        liveActivities = try LiveActivitiesSection(settings)
        receipts = try ReceiptsSection(settings)
        store = try StoreSection(settings)
        http = try HTTPSection(settings)
        webPush = try WebPushSection(settings)
        webhooks = try WebhooksSection(settings)
        self.services = try EnabledServices(services, settings, apps: apps)
        self.modules = try EnabledModules(modules, settings)
        fcm = try FCMSection(settings)
        firestore = try FirestoreSection(settings)
        log = try LogSection(settings)
        try receipts.check(publicURL: http.publicURL)
        try self.services.check(bundleIDs: self.modules.bundleIDs)
        try self.services.check(environments: self.modules.environments)
    }

    /// The settings of a module; `nil` if it is switched off.
    package subscript<Module: FunctionModule>(module: Module.Type) -> Module.Settings? {
        get { modules[module] }
        set { modules[module] = newValue }
    }

    /// The settings of a push service; `nil` if it is switched off.
    package subscript<Service: PushService>(service: Service.Type) -> Service.Settings? {
        get { services[service] }
        set { services[service] = newValue }
    }

    /// `true` if the gateway has no credentials for a push service, so that no notification leaves it.
    package var isEmulator: Bool { !services.reachDevices }

    /// `true` if the gateway serves Firestore's interface.
    package var servesFirestore: Bool { firestore.isEnabled ?? isEmulator }

    /// Returns the names of the sections in which settings differ that need a restart.
    func sectionsToRestart(for new: GatewayConfiguration) -> [String] {
        func changed<Section: ConfigurationSection>(_ section: KeyPath<GatewayConfiguration, Section>) -> String? {
            self[keyPath: section] == new[keyPath: section] ? nil : Section.name
        }
        let first = [
            changed(\.http), changed(\.data), changed(\.store), changed(\.log), changed(\.admin), changed(\.backups),
            changed(\.metrics), changed(\.messages),
        ]
        let last = [
            changed(\.receipts), changed(\.liveActivities), changed(\.webPush), changed(\.webhooks), changed(\.fcm),
            changed(\.firestore),
        ]
        let own =
            first.compactMap(\.self) + modules.sectionsToRestart(for: new.modules) + last.compactMap(\.self)
        return own + services.sectionsToRestart(for: new.services).filter { !own.contains($0) }
    }
}
