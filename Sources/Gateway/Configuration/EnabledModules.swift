package import Functions
import Messaging
package import Settings

/// The modules that are switched on, with their settings.
package struct EnabledModules: Hashable, Sendable {
    private struct Entry: Sendable {
        let type: any FunctionModule.Type
        let settings: any ModuleSettings
        let make: @Sendable (ModuleServices) throws -> any FunctionModule

        init<Module: FunctionModule>(_ type: Module.Type, _ settings: Module.Settings) {
            self.type = type
            self.settings = settings
            make = { try Module(settings: settings, services: $0) }
        }
    }

    private var entries: [Entry] = []

    /// The modules of a gateway without settings.
    static let standard = (try? EnabledModules(available, SettingsReader { _ in nil })) ?? EnabledModules()

    private init() {}

    /// Reads and checks the settings of modules.
    package init(_ modules: [any FunctionModule.Type], _ settings: SettingsReader) throws(ConfigurationError) {
        for module in modules { try read(module, settings) }
    }

    private mutating func read<Module: FunctionModule>(
        _ module: Module.Type, _ settings: SettingsReader
    ) throws(ConfigurationError) {
        self[module] = try Module.Settings(settings.below(Module.keys.prefix))
    }

    /// The settings of a module; `nil` if it is switched off.
    package subscript<Module: FunctionModule>(module: Module.Type) -> Module.Settings? {
        get { entries.first { $0.type == module }?.settings as? Module.Settings }
        set {
            let entry = newValue.map { Entry(module, $0) }
            let index = entries.firstIndex { $0.type == module } ?? entries.endIndex
            entries.replaceSubrange(index..<min(index + 1, entries.endIndex), with: [entry].compactMap(\.self))
        }
    }

    var types: [any FunctionModule.Type] { entries.map(\.type) }
    var settings: [any ModuleSettings] { entries.map(\.settings) }

    /// The systems that are off.
    var switchedOff: SwitchedOffModules {
        let enabled = Set(types.map { ObjectIdentifier($0) })
        return SwitchedOffModules(Self.available.filter { !enabled.contains(ObjectIdentifier($0)) })
    }

    /// The registrations of the systems.
    var registrationCollections: [RegistrationCollection] { .all(of: types) }

    /// The sources of messages of all systems, because there may be messages of one that is off now.
    var sources: [String] {
        let known = Self.available.map { $0.source }
        return known + types.map { $0.source }.filter { !known.contains($0) }
    }

    /// The bundle ids of apps that modules notify, with the keys of the settings that name them.
    var bundleIDs: [(key: String, bundleID: String)] {
        entries.compactMap { entry in
            entry.settings.bundleID.map { (entry.type.keys.prefix + ModuleKey.bundleID, $0) }
        }
    }

    /// The environments of tokens that settings of modules name, with their keys.
    var environments: [(key: String, name: String)] {
        entries.compactMap { entry in
            entry.settings.environment.map { (entry.type.keys.prefix + ModuleKey.environment, $0) }
        }
    }

    /// The path of the page that subscribes browsers; `nil` if no system has one.
    var browserPage: String? { settings.compactMap(\.browserPage).first }

    /// Returns the sections of the modules whose settings differ, each once.
    func sectionsToRestart(for new: EnabledModules) -> [String] {
        let (before, after) = (identity, new.identity)
        var sections: [String] = []
        for type in types + new.types where before[ObjectIdentifier(type)] != after[ObjectIdentifier(type)] {
            if !sections.contains(type.keys.section) { sections.append(type.keys.section) }
        }
        return sections
    }

    func make(_ services: ModuleServices) throws -> [any FunctionModule] {
        try entries.map { try $0.make(services) }
    }

    package static func == (one: EnabledModules, other: EnabledModules) -> Bool { one.identity == other.identity }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    private var identity: [ObjectIdentifier: AnyHashable] {
        Dictionary(uniqueKeysWithValues: entries.map { (ObjectIdentifier($0.type), AnyHashable($0.settings)) })
    }
}
