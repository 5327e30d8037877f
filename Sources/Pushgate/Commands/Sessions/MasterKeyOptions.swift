import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON

/// A gateway with coding sessions, and where its master key is: never in an argument, which every user of the machine can
/// read.
struct MasterKeyOptions: ParsableArguments {
    @OptionGroup var gateway: GatewayOptions

    @Option(
        help: ArgumentHelp(
            "The gateway's YAML file, to take functions.sessions.masterKey from.",
            discussion: "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY wins over it."))
    var config: String?

    /// Asks an endpoint that wants the master key; any other status than the one expected is an error.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil, expecting status: Int = 200
    ) async throws -> JSONValue {
        let client = GatewayClient(baseURL: try gateway.baseURL())
        let answer = try await client.send(method, path, bearer: try masterKey().value, body: body)
        guard answer.status == status else { throw Self.refusal(answer) }
        return answer.body
    }

    private func masterKey() throws -> RedactedString {
        let key = try SessionsMasterKey.read(environment: ProcessInfo.processInfo.environment, file: config)
        guard let key else {
            throw CommandError(
                "no master key: set PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY, or name the gateway's file with --config.")
        }
        return key
    }

    private static func refusal(_ answer: GatewayClient.Answer) -> CommandError {
        let message = answer.body["message"]?.string ?? answer.body["error"]?["message"]?.string
        guard answer.status != 404 || answer.body["error"]?.string != nil else {
            return CommandError(
                "coding sessions are switched off there: set functions.sessions.enabled and start the gateway again.")
        }
        guard answer.status != 401 else {
            return CommandError("the gateway has another master key (functions.sessions.masterKey).")
        }
        return CommandError("the gateway answered \(answer.status): \(message ?? "no reason given")")
    }
}
