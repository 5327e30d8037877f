import ArgumentParser
import Foundation
import PushgateClient

/// Where a verb takes the server's secret from: never from an argument, which every user of the machine can read.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's environment file, to take CODEAGENTS_PUSH_SECRET and the gateway's URL from.",
            discussion: """
                Default: the environment variable CODEAGENTS_PUSH_SECRET. --server and --data-directory win over the URL \
                in the file.
                """))
    var envFile: String?

    func secret() throws -> String {
        let key = EnvironmentFile.secretKey
        guard let envFile else {
            if let secret = ProcessInfo.variable(key) { return secret }
            throw CommandError("no secret: set \(key), or name the daemon's file with --env-file.")
        }
        guard let secret = try Self.value(of: key, in: envFile) else {
            throw CommandError(
                "there is no \(key) in \(envFile); “pushgate enable --env-file \(envFile)” puts one there.")
        }
        return secret
    }

    /// The gateway's URL in the daemon's file; `nil` if there is none.
    func fileBaseURL() throws -> String? {
        try envFile.flatMap { try Self.value(of: EnvironmentFile.baseURLKey, in: $0) }
    }

    private static func value(of key: String, in file: String) throws -> String? {
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw CommandError(
                "cannot read \(file): it is not there, or not for this user. Name the daemon's file with --env-file.")
        }
        return EnvironmentFile(contents).value(of: key).flatMap { $0.isEmpty ? nil : $0 }
    }
}
