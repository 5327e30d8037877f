/// A setting that is a property of a type: the one place with its key, form, default, secrecy and effect, and with one
/// line of meaning. The default is the property's own.
package struct Setting<Root: Sendable>: Sendable {
    private let key: String
    private let form: String
    private let isList: Bool
    private let secrecy: SettingSecrecy
    private let effect: SettingEffect
    private let meaning: String
    private let standard: @Sendable (Root) -> String
    fileprivate let read: @Sendable (inout Root, SettingsReader) throws(ConfigurationError) -> Void

    /// Declares a property with a default.
    ///
    /// - Parameters:
    ///   - key: The key, below the prefix of the type's settings.
    ///   - meaning: One line, without a period at its end.
    package init<Value: Sendable>(
        _ key: String, _ property: any WritableKeyPath<Root, Value> & Sendable, _ form: SettingForm<Value>,
        secrecy: SettingSecrecy = .open, effect: SettingEffect = .restart, _ meaning: String
    ) {
        self.key = key
        self.form = form.name
        isList = form.isList
        self.secrecy = secrecy
        self.effect = effect
        self.meaning = meaning
        standard = { root in form.markdown(root[keyPath: property]) }
        read = { root, settings throws(ConfigurationError) in
            guard let value = try form.read(settings, key) else { return }
            root[keyPath: property] = value
        }
    }

    /// Declares a property that is `nil` by default.
    ///
    /// - Parameters:
    ///   - key: The key, below the prefix of the type's settings.
    ///   - absent: The effect of no value, in a word, for pages.
    ///   - meaning: One line, without a period at its end.
    package init<Value: Sendable>(
        _ key: String, optional property: any WritableKeyPath<Root, Value?> & Sendable, _ form: SettingForm<Value>,
        absent: String = "none", secrecy: SettingSecrecy = .open, effect: SettingEffect = .restart, _ meaning: String
    ) {
        self.init(key, property, form.optional(absent: absent), secrecy: secrecy, effect: effect, meaning)
    }

    /// Declares a setting without a property. Its type reads it by the same key.
    package init(_ key: String, form: String, standard: String, effect: SettingEffect = .restart, _ meaning: String) {
        self.key = key
        self.form = form
        isList = false
        secrecy = .open
        self.effect = effect
        self.meaning = meaning
        self.standard = { _ in standard }
        read = { _, _ in }
    }

    /// Returns the declaration.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the type's settings, with a dot at its end, or nothing.
    ///   - defaults: The type with its defaults.
    fileprivate func declaration(below prefix: String, _ defaults: Root) -> SettingDeclaration {
        SettingDeclaration(
            key: prefix + key, form: form, standard: standard(defaults), isList: isList, secrecy: secrecy,
            effect: effect, meaning: meaning)
    }
}

/// A type whose properties are settings.
package protocol DeclaredSettings: Sendable {
    /// The settings, each declared once.
    static var settings: [Setting<Self>] { get }
    /// The keys of settings that earlier versions had. A value has no effect, and is a warning at the start, not an
    /// error.
    static var formerKeys: [String] { get }

    /// Gives each property its default, which pages and the help show.
    init()
}

extension DeclaredSettings {
    /// No keys.
    package static var formerKeys: [String] { [] }

    /// Reads all settings. An absent one keeps its value.
    package mutating func apply(_ settings: SettingsReader) throws(ConfigurationError) {
        for setting in Self.settings { try setting.read(&self, settings) }
    }

    /// Returns the declarations of all settings.
    ///
    /// - Parameter prefix: The prefix of their keys, with a dot at its end, or nothing.
    package static func declarations(below prefix: String = "") -> [SettingDeclaration] {
        let defaults = Self()
        return settings.map { $0.declaration(below: prefix, defaults) }
    }
}
