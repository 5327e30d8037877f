package import DocumentStore
package import Messaging
package import ServiceLifecycle
package import Settings

/// A system that runs on the gateway: its settings and indexes, its HTTP endpoints, scheduled jobs and services.
///
/// A module is a folder in `functions/` and a line in `EnabledModules.available`.
package protocol FunctionModule: Sendable {
    associatedtype Settings: ModuleSettings

    /// The name for people, such as `coding agents`.
    static var name: String { get }
    /// The name in metrics and in the records of the module's messages, such as `codeagents`.
    static var source: String { get }
    /// The keys of the settings, all below one prefix, such as `functions.runs.`.
    static var keys: SettingKeys { get }
    /// The paths of the module's endpoints, which have all paths below them too. A gateway with the module switched off
    /// answers there with the setting that switches it on; none for a module that is always on.
    static var paths: [PathPattern] { get }
    /// The indexes that the module's queries need. Each costs every write to its collection group a little.
    static var fieldIndexes: [FieldIndex] { get }
    /// The names of the module's file storages; see ``ModuleHost``.
    static var fileStorages: [String] { get }
    /// The collections at the root whose ids are credentials, with all that is below them: to know one is enough to
    /// change something.
    static var secretCollections: [String] { get }
    /// The form of the documents of the module's devices; by default that of a `DeviceRegistry`.
    static var registrationFields: RegistrationFields { get }
    /// The id of the collections with the module's devices; `nil` for a module without any.
    static var registrationCollection: String? { get }

    /// Creates the module on the services of a gateway.
    init(settings: Settings, services: ModuleServices) throws

    /// The functions that clients call by name, as Cloud Functions.
    var functions: [HTTPSFunction] { get }
    /// The endpoints that clients call by method and path.
    var endpoints: [Endpoint] { get }
    /// The responses at paths of the module that have no endpoint.
    var fallbacks: [Fallback] { get }
    /// The pages for the operator, in the order of the console's menu.
    var pages: [OperatorPage] { get }
    /// The module's devices, for the operator; `nil` for a module without any.
    var deviceList: DeviceList? { get }
    /// The servers that use the module, for the operator; `nil` for a module that admits none, or all.
    var serverList: (any ServerList)? { get }
    /// The pairing of browsers with the module's agents, for the operator; `nil` for a module without it.
    var devicePairing: (any DevicePairing)? { get }
    /// The credentials of the module's devices, for other interfaces; `nil` for a module without any.
    var deviceCredentials: (any DeviceCredentials)? { get }
    /// The keys of the module's clients, for the operator; `nil` for a module without any.
    var keyList: KeyList? { get }
    /// The module's keys that open the deliveries of all messages; `nil` for a module without any.
    var deliveryReaders: (any DeliveryReaders)? { get }
    /// The work that runs at intervals.
    var jobs: [ScheduledJob] { get }
    /// The services that run as long as the gateway, each after the services that it uses.
    var services: [any Service] { get }
    /// The services that run on one gateway at a time of those that share the documents.
    var duties: [any Service] { get }
}

extension FunctionModule {
    package static var paths: [PathPattern] { [] }
    package static var fieldIndexes: [FieldIndex] { [] }
    package static var fileStorages: [String] { [] }
    package static var secretCollections: [String] { [] }
    package static var registrationFields: RegistrationFields { DeviceRegistry.fields }
    package static var registrationCollection: String? { nil }
    package var functions: [HTTPSFunction] { [] }
    package var endpoints: [Endpoint] { [] }
    package var fallbacks: [Fallback] { [] }
    package var pages: [OperatorPage] { [] }
    package var deviceList: DeviceList? { nil }
    package var serverList: (any ServerList)? { nil }
    package var devicePairing: (any DevicePairing)? { nil }
    package var deviceCredentials: (any DeviceCredentials)? { nil }
    package var keyList: KeyList? { nil }
    package var deliveryReaders: (any DeliveryReaders)? { nil }
    package var jobs: [ScheduledJob] { [] }
    package var services: [any Service] { [] }
    package var duties: [any Service] { [] }
}

extension [RegistrationCollection] {
    /// Returns the collections with the devices of modules.
    package static func all(of modules: [any FunctionModule.Type]) -> [RegistrationCollection] {
        modules.compactMap { module in
            module.registrationCollection.map { RegistrationCollection(id: $0, fields: module.registrationFields) }
        }
    }
}

/// The settings of a module. The gateway has none of a module that is switched off.
package protocol ModuleSettings: Hashable, Sendable {
    /// The bundle id of the app to notify; `nil` for the first app in the gateway's configuration.
    var bundleID: String? { get }
    /// The name of the environment of the devices' tokens; `nil` for the app's.
    var environment: String? { get }
    /// The URL at which clients reach the gateway, without a slash at its end; `nil` if the settings have none.
    var publicURL: String? { get }
    /// The path of the page at which browsers subscribe; `nil` if the module has none.
    var browserPage: String? { get }
    /// The maximum size of a body, in bytes, of an endpoint that accepts uploads; 0 without such an endpoint.
    var maximumUploadBytes: Int { get }

    /// Reads and checks the settings. Returns `nil` if the module is switched off.
    ///
    /// - Parameter settings: The settings below the module's ``FunctionModule/keys`` prefix.
    init?(_ settings: SettingsReader) throws(ConfigurationError)
}

extension ModuleSettings {
    package var bundleID: String? { nil }
    package var environment: String? { nil }
    package var publicURL: String? { nil }
    package var browserPage: String? { nil }
    package var maximumUploadBytes: Int { 0 }
}

/// A function that clients call over HTTP, at `/<name>` and at the Firebase emulator's `/<project>/<region>/<name>`.
package struct HTTPSFunction: Sendable {
    /// The function's name, which is the last segment of its path.
    package let name: String
    /// Handles requests of every method, because a function has an error format of its own.
    package let handle: @Sendable (FunctionRequest) async -> FunctionResponse
    /// `true` if web pages of other origins may call it, if the operator allows them to.
    package let isForPages: Bool

    /// The number of segments of the longest path of a function.
    package static let longestPath = 3

    /// - Parameters:
    ///   - isForPages: `true` if web pages of other origins may call it, if the operator allows them to.
    ///   - handle: The function that responds. It must turn its errors into responses.
    package init(
        name: String, isForPages: Bool = false,
        handle: @escaping @Sendable (FunctionRequest) async -> FunctionResponse
    ) {
        self.name = name
        self.isForPages = isForPages
        self.handle = handle
    }
}

/// Work that runs at an interval. The interval continues across restarts.
package struct ScheduledJob: Sendable {
    /// A name unique among all modules, such as `codeagents-clean-up`. The time of the last run is stored under it.
    package let name: String
    /// The time between two runs.
    package let interval: Duration
    /// The work. An error is logged, and the job is retried after a tenth of its interval.
    package let run: @Sendable () async throws -> Void

    /// - Parameter name: A name unique among all modules.
    package init(name: String, interval: Duration, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.run = run
    }
}

extension ScheduledJob {
    /// Makes the job that upgrades a system's devices. It finds something at its first run, at the start, and again if
    /// a gateway of an older version has run since.
    init(upgrading devices: DeviceRegistry) {
        self.init(name: "\(devices.reach.system)-device-tokens", interval: .seconds(7 * 24 * 60 * 60)) {
            try await devices.upgradeTokens()
        }
    }
}
