internal import Configuration

/// The master key of coding sessions, for a program that is to use it.
public enum SessionsMasterKey {
    /// The setting that has it.
    public static let setting = "functions.sessions.masterKey"

    /// Reads the key where a gateway would: in the environment, then in the file.
    ///
    /// - Parameters:
    ///   - environment: the process's variables.
    ///   - file: the path of a YAML file, if there is one.
    /// - Returns: `nil` if neither has it.
    public static func read(environment: [String: String], file: String?) throws -> RedactedString? {
        let settings = Settings(
            try GatewayConfiguration.reader(flags: [:], environment: environment, file: file).reader)
        return settings.string(setting).map(RedactedString.init)
    }
}
