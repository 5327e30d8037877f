import Instance
import Secrets
import Settings

/// The settings as the flags, the environment and the file give them, in this order of precedence.
struct ConfigurationSources {
    /// A setting as its source gives it.
    enum Value: Equatable, Sendable {
        case text(String)
        case list([String])
    }

    private var values: [String: Value] = [:]
    private let environment: [String: String]
    /// The apps of the file, each as its keys and values.
    let apps: [[String: String]]
    /// The warnings about variables and keys that have no effect.
    let warnings: [SettingWarning]
    /// The files that were read: that of the settings, and those of secrets.
    private(set) var files: [ConfiguredFile] = []

    /// Reads the sources.
    ///
    /// - Parameters:
    ///   - flags: The command line's settings, by key.
    ///   - environment: The environment variables of the process.
    ///   - path: The path of a YAML file, or `nil`.
    ///   - table: The settings that there are.
    ///   - key: The only setting to take from the environment: no file of another secret is read. `nil` for all.
    /// - Throws: `ConfigurationError` for an unknown key, for a file that cannot be read, and for a secret that is
    ///   given twice.
    init(
        flags: [String: String], environment: [String: String], file path: String?, _ table: SettingTable,
        only key: String? = nil
    ) throws(ConfigurationError) {
        self.environment = environment
        var formerKeys = table.formerKeys.intersection(flags.keys)
        let flags = flags.filter { !formerKeys.contains($0.key) }
        if let unknown = flags.keys.sorted().first(where: { table[$0] == nil }) { throw table.unknown(unknown) }
        var apps: [[String: String]] = []
        if let path {
            let named = ConfiguredFile(key: "--config", path: path, expected: "the path of a YAML file")
            let file = try ConfigurationFile(named, table)
            files.append(named)
            values = file.values
            apps = file.apps
            formerKeys.formUnion(file.formerKeys)
        }
        self.apps = apps
        warnings = SettingVariables(table).warnings(in: environment) + formerKeys.sorted().map { .former($0) }
        for declaration in table.declarations where key == nil || declaration.key == key {
            guard let (value, file) = try Self.value(of: declaration, in: environment) else { continue }
            values[declaration.key] = value
            if let file { files.append(file) }
        }
        for (key, text) in flags { values[key] = .text(text) }
    }

    /// Returns the value of a setting in the environment, and for a secret in the file that a variable names, with that
    /// file; `nil` if there is none.
    private static func value(
        of declaration: SettingDeclaration, in environment: [String: String]
    ) throws(ConfigurationError) -> (value: Value, file: ConfiguredFile?)? {
        let variable = SettingVariables.name(of: declaration.key)
        if declaration.secrecy != .open, let secret = try SecretVariable(variable, in: environment) {
            return (value(secret.value.value, declaration, hasLines: secret.file != nil), secret.file)
        }
        return environment[variable].map { (value($0, declaration, hasLines: false), nil) }
    }

    /// - Parameter hasLines: `true` if line breaks separate the elements of a list too.
    private static func value(_ text: String, _ declaration: SettingDeclaration, hasLines: Bool) -> Value {
        guard declaration.isList else { return .text(text) }
        let elements = text.split(omittingEmptySubsequences: false) { $0 == "," || hasLines && $0.isNewline }
        return .list(elements.map(String.init))
    }

    /// A reader of the settings.
    var reader: SettingsReader {
        let values = values
        return SettingsReader(environment: environment) { key in
            guard case .list(let texts) = values[key] else { return nil }
            return texts
        } text: { key in
            guard case .text(let text) = values[key] else { return nil }
            return text
        }
    }
}
