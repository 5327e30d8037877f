/// The facts of a setting. The checks of keys, the environment's names, the help and the pages take them from here, or
/// are compared with them in a test.
package struct SettingDeclaration: Hashable, Sendable {
    /// The key, as docs/configuration.md lists it, such as `http.port`.
    package let key: String
    /// The form of a value in Markdown, such as `0 to 65535`.
    package let form: String
    /// The default in Markdown: a value in backticks, or words such as `none`.
    package let standard: String
    /// `true` if the setting takes a list.
    package let isList: Bool
    /// The part of the value that no other user may read.
    package let secrecy: SettingSecrecy
    /// The time from which a changed value applies.
    package let effect: SettingEffect
    /// One line of meaning, without a period at its end.
    package let meaning: String

    /// The default without Markdown, for help texts.
    package var plainStandard: String { standard.filter { $0 != "`" } }

    /// Returns `true` if no other user may read a value.
    package func isSecret(_ value: String) -> Bool {
        switch secrecy {
        case .open: false
        case .user: value.contains("@")
        case .secret: true
        }
    }
}

/// The part of a setting's value that no other user may read.
package enum SettingSecrecy: Hashable, Sendable {
    /// None of it.
    case open
    /// The user and the password that a URL may contain.
    case user
    /// All of it.
    case secret
}

/// The time from which a setting's changed value applies.
package enum SettingEffect: Hashable, Sendable {
    /// The next start.
    case restart
    /// The next reload.
    case reload
}
