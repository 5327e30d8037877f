import ArgumentParser
import Foundation
import PushgateClient

/// Where a verb takes the server's secret from: never from an argument, which every user of the machine can read.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's environment file, to take CODEAGENTS_PUSH_SECRET from.",
            discussion: "Default: the environment variable CODEAGENTS_PUSH_SECRET."))
    var envFile: String?

    func secret() throws -> String {
        let key = EnvironmentFile.secretKey
        guard let envFile else {
            if let secret = ProcessInfo.processInfo.environment[key], !secret.isEmpty { return secret }
            throw CommandError("no secret: set \(key), or name the daemon's file with --env-file.")
        }
        guard let contents = FileManager.default.contents(atPath: envFile) else {
            throw CommandError("cannot read \(envFile).")
        }
        guard let secret = EnvironmentFile(contents).value(of: key), !secret.isEmpty else {
            throw CommandError(
                "there is no \(key) in \(envFile); “pushgate enable --env-file \(envFile)” puts one there.")
        }
        return secret
    }
}
