import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON

/// The verb `script`.
struct ScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script",
        abstract: "Script errors and delays of the emulated push service.",
        discussion: """
            Without options it lists the scripts. A message to a token uses the first script for that token, \
            otherwise the first script without a token. “messages:send” then answers with the error and accepts \
            nothing; notifications of functions are rejected, or tried again. With “--token -” the token is read \
            from standard input.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(
        help:
            ArgumentHelp(
                "The error code: UNREGISTERED, INVALID_ARGUMENT, SENDER_ID_MISMATCH, QUOTA_EXCEEDED, THIRD_PARTY_AUTH_ERROR, INTERNAL or UNAVAILABLE.",
                valueName: "CODE")
    )
    var error: String?

    @Option(
        help: ArgumentHelp(
            "Only for messages to this registration token; “-” reads it from standard input.", valueName: "TOKEN"))
    var token: String?

    @Option(help: ArgumentHelp("The number of messages. Default: all, until --reset.", valueName: "N"))
    var times: Int?

    @Option(help: ArgumentHelp("The delay of the answer, for example 500ms or 2s.", valueName: "TIME"))
    var delay: String?

    @Flag(help: "Delete all scripts.")
    var reset = false

    func validate() throws {
        if reset, error != nil || delay != nil || token != nil || times != nil {
            throw ValidationError("--reset cannot be combined with other options")
        }
        if error == nil, delay == nil, token != nil || times != nil {
            throw ValidationError("a script needs --error, --delay or both")
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

    /// Returns the script to add; `nil` if the options give none.
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
        guard !scripts.isEmpty else { return "no scripts: every message is accepted" }
        return scripts.map { script in
            let whom = script["token"]?.shown ?? "every message"
            let what = script["errorCode"]?.shown ?? "accepted"
            let times = script["times"]?.integer.map { ", \($0) more" } ?? ""
            let delay = script["delay"]?.shown.map { ", after \($0)" } ?? ""
            return "\(whom): \(what)\(delay)\(times)"
        }.joined(separator: "\n")
    }
}
