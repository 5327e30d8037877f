import ArgumentParser
import Foundation
import PushgateClient

/// The source of the server's secret. There is no option for the secret itself, because every user of the machine can
/// read arguments.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's environment file, with CODEAGENTS_PUSH_SECRET and the gateway's URL.",
            discussion: """
                Default: the environment variable CODEAGENTS_PUSH_SECRET. --server and --data-directory take \
                precedence over the URL in the file.
                """, valueName: "FILE"))
    var envFile: String?

    func secret() throws -> String {
        let key = EnvironmentFile.secretKey
        guard let envFile else {
            if let secret = ProcessInfo.variable(key) { return secret }
            throw CommandError("no secret: set \(key), or give the daemon's file with --env-file.")
        }
        guard let secret = try Self.value(of: key, in: envFile) else {
            throw CommandError(
                "there is no \(key) in \(envFile); “pushgate enable --env-file \(envFile)” adds one.")
        }
        return secret
    }

    /// Returns the gateway's URL in the daemon's file; `nil` if there is none.
    func fileBaseURL() throws -> String? {
        try envFile.flatMap { try Self.value(of: EnvironmentFile.baseURLKey, in: $0) }
    }

    private static func value(of key: String, in file: String) throws -> String? {
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw CommandError(
                "cannot read \(file): it does not exist, or this user may not read it. Give the daemon's file with "
                    + "--env-file.")
        }
        return EnvironmentFile(contents).value(of: key).flatMap { $0.isEmpty ? nil : $0 }
    }
}
