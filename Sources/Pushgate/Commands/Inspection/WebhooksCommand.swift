import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `webhooks`.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Make, list, try and remove the URLs that events are sent to.",
        discussion: """
            Events are outcomes of notifications, tokens that are no longer valid, and apps that are held up. These \
            verbs need a running gateway, and take effect without a restart. Private addresses are for the setting \
            webhooks.urls only.
            """,
        subcommands: [List.self, Add.self, Secret.self, Remove.self, Test.self])

    /// The path of the endpoint.
    fileprivate static let path = "/v1/webhooks"

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the webhooks: ids, URLs, events and failures.")

        @OptionGroup var gateway: GatewayOptions

        func run() async throws {
            let webhooks = try await gateway.admin(.get, WebhooksCommand.path)["webhooks"]?.array ?? []
            if gateway.json {
                for webhook in webhooks { print(webhook.text) }
            } else {
                print(webhooks.isEmpty ? "no webhooks" : webhooks.map(Self.lines).joined(separator: "\n"))
            }
        }

        private static func lines(_ webhook: JSONValue) -> String {
            let events = (webhook["events"]?.array ?? []).compactMap(\.shown).joined(separator: ", ")
            let failures = webhook["failures"]?.integer ?? 0
            return """
                \(webhook["id"]?.shown ?? "?")  \(webhook["url"]?.shown ?? "?")
                  events: \(events)\(failures > 0 ? "\n  failures in a row: \(failures)" : "")
                """
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a webhook, and print the secret that its receiver needs.",
            discussion: "Prints only the secret to standard output, and the id to standard error.")

        @OptionGroup var gateway: GatewayOptions

        @Argument(help: ArgumentHelp("The URL, https:// and of a host on the internet.", valueName: "URL"))
        var url: String

        @Option(
            help: ArgumentHelp(
                "A kind of events; may be given several times. Default: all kinds.", valueName: "EVENT"))
        var event: [String] = []

        func run() async throws {
            var body: JSONObject = ["url": .string(url)]
            if !event.isEmpty { body["events"] = .array(event.map(JSONValue.string)) }
            let answer = try await gateway.admin(.post, WebhooksCommand.path, body: .object(body))
            if gateway.json { return print(answer.text) }
            FileHandle.standardError.write(Data("made the webhook \(answer["id"]?.shown ?? "?")\n".utf8))
            print(answer["secret"]?.string ?? "")
        }
    }

    struct Secret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the secret of a webhook, with which its receiver checks signatures.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var webhook: WebhookArgument

        func run() async throws {
            let answer = try await gateway.admin(.get, "\(WebhooksCommand.path)/\(webhook.id)/secret")
            print(gateway.json ? answer.text : answer["secret"]?.string ?? "")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a webhook, with the events that wait for it.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var webhook: WebhookArgument

        func run() async throws {
            let answer = try await gateway.admin(.delete, "\(WebhooksCommand.path)/\(webhook.id)")
            print(gateway.json ? answer.text : "removed")
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send an event of the type webhook.test, after those that wait.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var webhook: WebhookArgument

        func run() async throws {
            let answer = try await gateway.admin(.post, "\(WebhooksCommand.path)/\(webhook.id)/test")
            print(gateway.json ? answer.text : "sent the event \(answer["id"]?.shown ?? "?")")
        }
    }
}

/// The webhook that a verb is about.
struct WebhookArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The webhook's id, as “pushgate webhooks list” shows it.", valueName: "ID"))
    var id: String

    func validate() throws {
        guard !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            throw ValidationError("“\(id)” is not the id of a webhook; “pushgate webhooks list” shows the ids.")
        }
    }
}
