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

    /// Reads the sources.
    ///
    /// - Parameters:
    ///   - flags: The command line's settings, by key.
    ///   - environment: The environment variables of the process.
    ///   - path: The path of a YAML file, or `nil`.
    ///   - declarations: The settings that there are.
    /// - Throws: `ConfigurationError` for an unknown key, and for a file that cannot be read.
    init(
        flags: [String: String], environment: [String: String], file path: String?,
        declarations: [SettingDeclaration]
    ) throws(ConfigurationError) {
        self.environment = environment
        let keys = Set(declarations.map(\.key))
        if let unknown = flags.keys.sorted().first(where: { !keys.contains($0) }) {
            throw ConfigurationError(
                key: unknown, problem: "is not a key; \(GatewayConfiguration.advice(for: unknown, among: keys))")
        }
        var apps: [[String: String]] = []
        if let path {
            let file = try ConfigurationFile(path: path, declarations: declarations)
            values = file.values
            apps = file.apps
        }
        self.apps = apps
        for declaration in declarations {
            guard let text = environment[GatewayConfiguration.variable(of: declaration.key)] else { continue }
            values[declaration.key] = Self.value(text, declaration)
        }
        for (key, text) in flags { values[key] = .text(text) }
    }

    private static func value(_ text: String, _ declaration: SettingDeclaration) -> Value {
        guard declaration.isList else { return .text(text) }
        return .list(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
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
