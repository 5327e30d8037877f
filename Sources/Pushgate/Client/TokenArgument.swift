import ArgumentParser
import Foundation

/// A registration token as options take it: as such, or “-” for a line of standard input, since every user of a machine can
/// read arguments.
enum TokenArgument {
    /// The variable that ``Register`` takes a token from.
    static let variable = "PUSHGATE_DEVICE_TOKEN"

    static func token(_ argument: String) throws -> String {
        let token = argument == "-" ? readLine() ?? "" : argument
        guard !token.isEmpty else {
            throw ValidationError(
                argument == "-"
                    ? "--token - reads a token from standard input, and there is none" : "--token must not be empty")
        }
        return token
    }

    /// As ``token(_:)``; without an argument, the token of the environment.
    static func token(orFromEnvironment argument: String?) throws -> String {
        if let argument { return try token(argument) }
        guard let token = ProcessInfo.variable(variable) else {
            throw ValidationError("no token: set \(variable), or give --token, as “-” to read it from standard input")
        }
        return token
    }
}
