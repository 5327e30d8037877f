import Functions
package import Secrets
import Settings

/// The master key of coding sessions, for a program that uses it.
package enum SessionsMasterKey {
    /// The configuration key of the master key.
    package static let setting = Sessions.masterKeySetting

    /// Reads the key from where a gateway would take it: the environment, then the file. The files of other secrets are
    /// not read: the program's user needs no access to them.
    ///
    /// - Parameters:
    ///   - environment: The environment variables of the process.
    ///   - file: The path of a YAML file, if there is one.
    /// - Returns: `nil` if neither has the key.
    /// - Throws: ``ConfigurationError`` if the YAML file, or the key's own file, cannot be read.
    package static func read(environment: [String: String], file: String?) throws -> RedactedString? {
        let sources = try ConfigurationSources(
            flags: [:], environment: environment, file: file, .available, only: setting)
        return sources.reader.string(setting).map(RedactedString.init)
    }
}
