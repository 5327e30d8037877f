/// A warning about a setting that has no effect.
package enum SettingWarning: Hashable, Sendable, CustomStringConvertible {
    /// A variable that has the gateway's prefix but is not a setting. The advice names the nearest one if one is
    /// similar.
    case unknown(variable: String, advice: String)
    /// A key or variable of a setting that earlier versions had.
    case former(String)

    /// The warning in one line.
    package var description: String {
        switch self {
        case .unknown(let variable, let advice): "\(variable) is not a setting; \(advice)"
        case .former(let name): "\(name) is no longer used; remove it"
        }
    }

    /// The reason for the warning.
    var reason: String {
        switch self {
        case .unknown: "A misspelled variable has no effect."
        case .former: "This version has no such setting; the value has no effect."
        }
    }

    /// The remedy.
    var advice: String {
        switch self {
        case .unknown: "Correct its name, or unset it."
        case .former: "Remove it; CHANGELOG.md has the reason."
        }
    }
}
