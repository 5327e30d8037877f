import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `why`.
struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say why notifications do not arrive at a device or an agent's devices.",
        discussion: """
            The first line has the cause and what to do. The device, its last messages with their outcomes, and what \
            waits follow. Nothing is sent and nothing changes. Every user of this machine can read arguments, and \
            shells keep them: give a token by standard input (“pushgate why -”) or in the variable \
            PUSHGATE_DEVICE_TOKEN. Exits with 1 if nothing here has the name or the token.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Argument(
        help: ArgumentHelp(
            "A device's path, id or token, or an agent's directory, name or path; “-” reads it from standard input.",
            discussion: "Default: the environment variable PUSHGATE_DEVICE_TOKEN.", valueName: "DEVICE|TOKEN|AGENT"))
    var subject: String?

    func run() async throws {
        guard let subject = subject ?? ProcessInfo.variable(TokenArgument.variable) else {
            throw ValidationError("name a device, a token or an agent; “-” reads it from standard input.")
        }
        let text = try TokenArgument.token(subject, option: "pushgate why")
        let answer = try await gateway.admin(.post, "/v1/diagnoses", body: ["of": .string(text)])
        print(gateway.json ? answer.text : DiagnosisText.text(answer))
        if answer["cause"] == "not-found" { throw ExitCode.failure }
    }
}

/// Text for a diagnosis.
enum DiagnosisText {
    /// Returns the cause in the first line, and then each device with its messages.
    static func text(_ answer: JSONValue) -> String {
        let devices = answer["devices"]?.array ?? []
        let notes = (answer["notes"]?.array ?? []).compactMap(\.shown)
        return ([answer.part("summary")] + notes + devices.flatMap { device($0, isOnly: devices.count == 1) })
            .joined(separator: "\n")
    }

    private static func device(_ device: JSONValue, isOnly: Bool) -> [String] {
        var lines = ["", device.part("registration")]
        let address = ["transport", "topic", "environment", "token"].compactMap { device[$0]?.shown }
        if !address.isEmpty { lines.append("  \(address.joined(separator: " "))") }
        if device["registered"] != true { lines.append("  it is not registered any more") }
        let facts = [
            device["system"]?.shown.map { "of \($0)" }, device["agent"]?.shown.map { "agent “\($0)”" },
            device["platform"]?.shown,
            device["registered_at"]?.shown.map { "registered \($0)" },
            device["last_seen_at"]?.shown.map { "last seen \($0)" },
        ]
        let shown = facts.compactMap(\.self)
        if !shown.isEmpty { lines.append("  \(shown.joined(separator: ", "))") }
        if !isOnly { lines.append("  \(device.part("summary"))") }
        return lines + (device["messages"]?.array ?? []).flatMap(message)
    }

    private static func message(_ message: JSONValue) -> [String] {
        let reason = message["reason"]?.shown.map { ": \($0)" } ?? ""
        let title = message["title"]?.shown.map { "  “\($0)”" } ?? ""
        return [
            "  \(message.part("accepted_at"))  \(message.part("state"))\(reason)\(title)  \(message.part("id"))",
            "    \(message.part("explanation"))",
        ]
    }
}

extension JSONValue {
    fileprivate func part(_ name: String) -> String { self[name]?.shown ?? "?" }
}
