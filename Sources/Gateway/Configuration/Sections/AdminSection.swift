import Instance
package import Secrets
package import Settings

/// The settings of the operator's tokens.
package struct AdminSection: ConfigurationSection {
    static let name = "admin"

    /// The admin token; `nil` to generate one at the first start and keep it in the data directory.
    package var token: RedactedString?
    /// The token with which the console can be read, and nothing changed; `nil` for none.
    package var readToken: RedactedString?

    /// The settings, each declared once.
    package static let settings: [Setting<AdminSection>] = [
        Setting(
            "admin.token", optional: \.token,
            .token(
                "secret of \(AdminTokenFile.minimumLength) characters or more, ASCII without blanks",
                ifAbsent: "; without this key, one is made"),
            absent: "made at the first start", secrecy: .secret,
            "The token that gives access to every document and the inbox"),
        Setting(
            "admin.readToken", optional: \.readToken, .token("secret as `admin.token`"), secrecy: .secret,
            "The token with which the console can be read, and nothing changed"),
    ]

    package init() {}
}

extension SettingForm where Value == RedactedString {
    /// A token of the operator's.
    ///
    /// - Parameter advice: The end of the error about a token that cannot be used.
    fileprivate static func token(_ name: String, ifAbsent advice: String = "") -> SettingForm<RedactedString> {
        SettingForm<RedactedString>(name) { _ in
            "`<redacted>`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard text.utf8.count >= AdminTokenFile.minimumLength, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw settings.problem(
                    key,
                    "must have at least \(AdminTokenFile.minimumLength) characters of ASCII and no blanks; "
                        + "“head -c 32 /dev/urandom | base64” prints a good one\(advice)")
            }
            return RedactedString(text)
        }
    }
}
