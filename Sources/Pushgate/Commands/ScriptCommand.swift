import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON

struct ScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script",
        abstract: "Have the emulated push service answer with errors, or late.",
        discussion: """
            Without options, lists the scripts. A message to a token takes the first script of that token, else the first \
            without one. “messages:send” is then answered with the error, and nothing is accepted; what functions send \
            is rejected, or tried again. A token is read from standard input when it is given as “-”.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(
        help:
            "UNREGISTERED, INVALID_ARGUMENT, SENDER_ID_MISMATCH, QUOTA_EXCEEDED, THIRD_PARTY_AUTH_ERROR, INTERNAL or UNAVAILABLE."
    )
    var error: String?

    @Option(help: "Only for messages to this registration token; “-” reads it from standard input.")
    var token: String?

    @Option(help: "For so many messages; otherwise until --reset.")
    var times: Int?

    @Option(help: "Answer after this time: 500ms, 2s.")
    var delay: String?

    @Flag(help: "Forget all scripts.")
    var reset = false

    func validate() throws {
        if reset, error != nil || delay != nil || token != nil || times != nil {
            throw ValidationError("--reset stands alone")
        }
        if error == nil, delay == nil, token != nil || times != nil {
            throw ValidationError("say what is to happen: --error, --delay or both")
        }
    }

    func run() async throws {
        let path = "/emulator/v1/scripts"
        let answer: JSONValue
        if reset {
            answer = try await gateway.admin(.delete, path)
        } else if let body = try script() {
            answer = try await gateway.admin(.post, path, body: body)
        } else {
            answer = try await gateway.admin(.get, path)
        }
        print(gateway.json ? answer.text : Self.text(answer))
    }

    /// nil when nothing is to be added.
    private func script() throws -> JSONValue? {
        guard error != nil || delay != nil else { return nil }
        var body: JSONObject = [:]
        body["errorCode"] = error.map { .string($0.uppercased()) }
        body["token"] = try token.map { .string(try TokenArgument.token($0)) }
        body["times"] = times.map { .integer(Int64($0)) }
        body["delay"] = delay.map(JSONValue.string)
        return .object(body)
    }

    private static func text(_ answer: JSONValue) -> String {
        let scripts = answer["scripts"]?.array ?? []
        guard !scripts.isEmpty else { return "no scripts: everything is taken" }
        return scripts.map { script in
            let whom = script["token"]?.string ?? "every message"
            let what = script["errorCode"]?.string ?? "taken"
            let times = script["times"]?.integer.map { ", \($0) more" } ?? ""
            let delay = script["delay"]?.string.map { ", after \($0)" } ?? ""
            return "\(whom): \(what)\(delay)\(times)"
        }.joined(separator: "\n")
    }
}
