import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON

struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Show what emulated devices received.",
        discussion: "With --wait, exits with 1 when fewer notifications than that have come by --timeout.")

    @OptionGroup var gateway: GatewayOptions

    @Option(help: "Only this installation's.")
    var installationID: String?

    @Option(help: "Only of the device whose token has this fingerprint (the eight digits of token#…).")
    var token: String?

    @Option(help: "Only what was sent to this topic.")
    var topic: String?

    @Option(help: "Wait until there are so many.")
    var wait: Int?

    @Option(help: "How many seconds to wait at most, up to 60.")
    var timeout = 10

    @Flag(help: "Forget everything received.")
    var reset = false

    func run() async throws {
        if reset {
            _ = try await gateway.admin(.delete, "/emulator/v1/inbox")
            return print(gateway.json ? "{}" : "inbox emptied")
        }
        let answer = try await gateway.admin(.get, "/emulator/v1/inbox" + query)
        print(gateway.json ? answer.text : Self.text(answer))
        if answer["timed_out"] == true { throw ExitCode.failure }
    }

    private var query: String {
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "timeout", value: String(timeout))]
        if let wait { components.queryItems?.append(URLQueryItem(name: "wait_for", value: String(wait))) }
        if let installationID {
            components.queryItems?.append(URLQueryItem(name: "installation_id", value: installationID))
        }
        if let token { components.queryItems?.append(URLQueryItem(name: "token", value: token)) }
        if let topic { components.queryItems?.append(URLQueryItem(name: "topic", value: topic)) }
        return "?" + (components.percentEncodedQuery ?? "")
    }

    private static func text(_ answer: JSONValue) -> String {
        let items = answer["notifications"]?.array ?? []
        guard !items.isEmpty else { return "the inbox is empty" }
        return items.map { item in
            let message = item["message"]
            let device = item["registration"]?.string?.split(separator: "/").last ?? "?"
            return """
                \(item["received_at"]?.string ?? "?")  \(device)
                  \(message?["notification"]?["title"]?.string ?? "")
                  \(message?["notification"]?["body"]?.string ?? "")
                """
        }.joined(separator: "\n")
    }
}
