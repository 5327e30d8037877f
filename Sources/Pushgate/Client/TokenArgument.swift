import ArgumentParser
import Foundation
import Gateway
import JSON
import Messaging

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

extension TokenArgument {
    /// Throws an error that names the mistake in a text that can be no device's token.
    static func checkForm(of token: String) throws {
        let token = RegistrationToken(token.trimmingCharacters(in: .whitespacesAndNewlines))
        guard let mistake = PushServiceTable.available.forms.mistake(in: token) else { return }
        throw ValidationError("\(mistake).")
    }
}

/// The value of `--web-push`: a file with a browser's subscription, or “-” for standard input.
enum SubscriptionArgument {
    /// Returns the subscription. The gateway checks its parts.
    static func subscription(_ path: String) throws -> JSONValue {
        let bytes: [UInt8]
        do {
            let url = path == "-" ? nil : URL(fileURLWithPath: path)
            let data = try url.map { try Data(contentsOf: $0) } ?? FileHandle.standardInput.readToEnd() ?? Data()
            bytes = [UInt8](data)
        } catch {
            throw ValidationError("--web-push: cannot read \(path): \(error.localizedDescription)")
        }
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else {
            throw ValidationError(
                "--web-push takes a file with a browser's subscription in JSON, as PushSubscription.toJSON() gives it; "
                    + "“-” reads it from standard input")
        }
        return json
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
