import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON
import Secrets

/// The options of a verb that needs the master key of coding sessions. There is no option for the key itself, because
/// every user of the machine can read arguments.
struct MasterKeyOptions: ParsableArguments {
    @OptionGroup var gateway: GatewayOptions

    @Option(
        help: ArgumentHelp(
            "The gateway's YAML file, with functions.sessions.masterKey.",
            discussion: "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY takes precedence over it.", valueName: "FILE"))
    var config: String?

    /// Sends a request with the master key and returns the body of the answer.
    ///
    /// - Throws: ``CommandError`` for any status but the expected one.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil, expecting status: Int = 200
    ) async throws -> JSONValue {
        let client = GatewayClient(baseURL: try await gateway.baseURL())
        let answer = try await client.send(method, path, bearer: try masterKey().value, body: body)
        guard answer.status == status else { throw Self.refusal(answer) }
        return answer.body
    }

    private func masterKey() throws -> RedactedString {
        let key = try SessionsMasterKey.read(environment: ProcessInfo.processInfo.environment, file: config)
        guard let key else {
            throw CommandError(
                "no master key: set PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY, or give the gateway's file with --config.")
        }
        return key
    }

    private static func refusal(_ answer: GatewayClient.Answer) -> CommandError {
        let message = answer.body["message"]?.string ?? answer.body["error"]?["message"]?.string
        guard answer.status != 404 || answer.body["error"]?.string != nil else {
            return CommandError(
                "the gateway has coding sessions disabled: set functions.sessions.enabled and restart it.")
        }
        guard answer.status != 401 else {
            return CommandError("the gateway has another master key (functions.sessions.masterKey).")
        }
        return CommandError("the gateway answered \(answer.status): \(message ?? "no reason given")")
    }
}
