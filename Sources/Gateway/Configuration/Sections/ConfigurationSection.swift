import Settings

/// The settings whose keys begin with one word, such as `http`. A section reads and checks itself; two of them are
/// equal if no restart is necessary to change one to the other.
protocol ConfigurationSection: DeclaredSettings, Equatable {
    /// The first word of the keys.
    static var name: String { get }
    /// The keys of the settings, including those of parts that are types of their own.
    static var keys: SettingKeys { get }

    /// Reads and checks the settings.
    init(_ settings: SettingsReader) throws(ConfigurationError)
}

extension ConfigurationSection {
    static var keys: SettingKeys { SettingKeys(Self.self) }

    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
    }
}
