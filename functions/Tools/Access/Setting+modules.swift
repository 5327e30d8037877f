import Settings

/// The keys that several systems have, below their prefixes.
package enum ModuleKey {
    static let enabled = "enabled"
    package static let bundleID = "bundleId"
    package static let environment = "environment"
}

/// The settings that several systems have.
extension Setting {
    /// Switches a system on. `SettingsReader.isEnabled()` reads it.
    static func enabled() -> Setting {
        Setting(ModuleKey.enabled, form: "`true` or `false`", standard: "`false`", "Switches the system on")
    }

    static func bundleID(_ property: any WritableKeyPath<Root, String?> & Sendable) -> Setting {
        Setting(
            ModuleKey.bundleID, optional: property, .text(), absent: "the first app's",
            "The app of the system's tokens")
    }

    /// Declares the environment of the system's tokens. The gateway checks the name, since only push services know
    /// their environments.
    static func environment(_ property: any WritableKeyPath<Root, String?> & Sendable) -> Setting {
        Setting(
            ModuleKey.environment, optional: property, .text("name of an environment"), absent: "the app's",
            "The environment of the system's tokens")
    }
}

extension SettingsReader {
    /// The minimum number of characters of a key that a person chose.
    static let shortestKey = 16

    /// Returns `true` if the system is switched on.
    func isEnabled() throws(ConfigurationError) -> Bool { try boolean(ModuleKey.enabled) == true }
}

extension SettingForm where Value == APIKeys {
    /// Keys that a person chose, each of ``SettingsReader/shortestKey`` characters or more.
    static func apiKeys() -> SettingForm<APIKeys> {
        keys(of: "a key of \(SettingsReader.shortestKey) characters or more") {
            $0.utf8.count >= SettingsReader.shortestKey
        }
    }

    /// A list of keys.
    ///
    /// - Parameters:
    ///   - description: The form of a key, for error texts, which do not show the key.
    ///   - isKey: Returns `true` for a text that has the form.
    static func keys(
        of description: String, _ isKey: @escaping @Sendable (String) -> Bool
    ) -> SettingForm<APIKeys> {
        SettingForm<APIKeys>("list", isList: true) { _ in
            "none"
        } read: { settings, key throws(ConfigurationError) in
            let keys = try settings.list(key, of: description, isSecret: true) { text -> String? in
                isKey(text) ? text : nil
            }
            return keys.isEmpty ? nil : APIKeys(keys)
        }
    }
}
