import Settings
import Texts

/// The form of bundle ids.
enum BundleID {
    /// Checks the form of a bundle id: ASCII letters and digits, hyphens and dots (`CFBundleIdentifier` in Apple's
    /// documentation). Underscores are accepted too.
    static func checkForm(of bundleID: String, for key: String) throws(ConfigurationError) {
        guard !bundleID.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }) else {
            return
        }
        throw ConfigurationError(
            key: key,
            problem:
                "“\(bundleID)” is not a bundle id; one has letters, digits, hyphens and dots, such as com.example.app")
    }

    /// Checks that a bundle id has no team id in front. An App ID is the team id, a dot and the bundle id; a topic is
    /// the bundle id alone.
    static func checkPrefix(
        of bundleID: String, teamIDs: Set<String>, for key: String
    ) throws(ConfigurationError) {
        guard let team = teamIDs.first(where: { bundleID.hasPrefix($0 + ".") }) else { return }
        throw ConfigurationError(
            key: key,
            problem: "“\(bundleID)” begins with the team id. The bundle id is \(bundleID.dropFirst(team.count + 1))")
    }
}
