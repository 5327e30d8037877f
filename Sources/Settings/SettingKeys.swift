/// The settings whose keys begin with one prefix, such as `functions.runs.`.
package struct SettingKeys: Sendable {
    /// The prefix, with a dot at its end; empty if there is none.
    package let prefix: String
    /// The declarations, whose keys have the prefix.
    package let declarations: [SettingDeclaration]
    /// The keys of settings that earlier versions had, with the prefix.
    package let formerKeys: [String]

    /// - Parameters:
    ///   - prefix: The prefix, with a dot at its end, or nothing if the type declares whole keys.
    ///   - settings: The type whose properties are the settings.
    package init<Root: DeclaredSettings>(below prefix: String = "", _ settings: Root.Type) {
        self.prefix = prefix
        declarations = settings.declarations(below: prefix)
        formerKeys = settings.formerKeys.map { prefix + $0 }
    }

    private init(_ prefix: String, _ declarations: [SettingDeclaration], _ formerKeys: [String]) {
        self.prefix = prefix
        self.declarations = declarations
        self.formerKeys = formerKeys
    }

    /// Returns the keys with those of one more type below the same prefix.
    package func adding<Root: DeclaredSettings>(_ settings: Root.Type) -> SettingKeys {
        SettingKeys(
            prefix, declarations + settings.declarations(below: prefix),
            formerKeys + settings.formerKeys.map { prefix + $0 })
    }
}
