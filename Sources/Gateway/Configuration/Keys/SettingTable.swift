package import Settings

/// The settings of a gateway, by key.
package struct SettingTable: Sendable {
    /// The declarations of all settings.
    package let declarations: [SettingDeclaration]
    private let indices: [String: Int]
    /// The keys of settings that earlier versions had.
    let formerKeys: Set<String>
    /// The keys that an entry of the list of apps may have.
    let appKeys: Set<String>

    /// Collects the settings of the gateway itself, of its push services and of its systems.
    init(_ keys: [SettingKeys], appKeys: Set<String>) {
        declarations = keys.flatMap(\.declarations)
        indices = Dictionary(zip(declarations.map(\.key), declarations.indices)) { first, _ in first }
        formerKeys = Set(keys.flatMap(\.formerKeys))
        self.appKeys = appKeys
    }

    /// Returns the declaration of a key; `nil` if it is not one.
    subscript(key: String) -> SettingDeclaration? { indices[key].map { declarations[$0] } }

    /// Returns an error for a key that is not one, which names the nearest key if one is similar.
    func unknown(_ key: String) -> ConfigurationError {
        let advice =
            SettingVariables(self).nearestKey(to: key).map { "did you mean \($0)?" }
            ?? "docs/configuration.md lists the keys"
        return ConfigurationError(key: key, problem: "is not a key; \(advice)")
    }

    /// Returns the help of a flag that sets a key: the meaning, the key and the default.
    package func help(for key: String) -> String {
        guard let setting = self[key] else { return "Sets \(key)." }
        return "\(setting.meaning) (\(key), \(setting.plainStandard))."
    }

    /// Returns `true` if no other user may read the value of a key.
    package func isSecret(_ key: String, _ value: String) -> Bool { self[key]?.isSecret(value) == true }
}
