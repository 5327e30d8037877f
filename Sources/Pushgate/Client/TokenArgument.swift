import ArgumentParser
import Foundation

/// The value of a token option: the token itself, or “-” for a line of standard input, because every user of a machine
/// can read arguments.
enum TokenArgument {
    /// The environment variable from which ``Register`` and ``Send`` read a token.
    static let variable = "PUSHGATE_DEVICE_TOKEN"

    /// Returns the token for the argument of an option.
    static func token(_ argument: String, option: String = "--token") throws -> String {
        let token = argument == "-" ? readLine() ?? "" : argument
        guard !token.isEmpty else {
            throw ValidationError(
                argument == "-"
                    ? "\(option) - reads a token from standard input, which is empty"
                    : "\(option) must not be empty")
        }
        return token
    }

    /// Returns the token for an argument, or the environment's token if there is no argument.
    static func token(orFromEnvironment argument: String?, option: String = "--token") throws -> String {
        if let argument { return try token(argument, option: option) }
        guard let token = ProcessInfo.variable(variable) else {
            throw ValidationError(
                "no token: set \(variable), or give \(option); “\(option) -” reads it from standard input")
        }
        return token
    }
}

/// The value of `--cwd`, an agent's directory. It must be absolute, because the whole path identifies the agent.
enum AgentDirectory {
    /// Throws an error unless the path is absolute.
    static func check(_ path: String) throws {
        guard !path.hasPrefix("/") else { return }
        guard !path.isEmpty else { throw ValidationError("--cwd must not be empty.") }
        throw ValidationError(
            "--cwd takes the absolute path of the agent's directory on its server. Did you mean "
                + "\(URL(fileURLWithPath: path).standardizedFileURL.path)?")
    }
}
