import ArgumentParser
import Cryptography
import Foundation
import Gateway
import HTTPTypes
import JSON
import Texts

/// The verb `inbox`.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Show the notifications of emulated devices.",
        discussion: """
            With --wait, exits with 1 if fewer notifications arrive within --timeout. With --follow it prints what is \
            there and then each that arrives.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(help: ArgumentHelp("Only notifications of the installation with this id.", valueName: "ID"))
    var installationID: String?

    @Option(
        help: ArgumentHelp(
            "Only notifications to this token.",
            discussion: """
                The token itself, “-” for a line of standard input, or a printed fingerprint, token#…. Only the \
                fingerprint is sent to the gateway.
                """, valueName: "TOKEN"))
    var token: String?

    @Option(help: ArgumentHelp("Only notifications to this topic.", valueName: "NAME"))
    var topic: String?

    @Option(help: ArgumentHelp("Wait for this number of notifications.", valueName: "N"))
    var wait: Int?

    @Option(help: ArgumentHelp("The longest wait in seconds, up to 60.", valueName: "SECONDS"))
    var timeout = 10

    @Flag(
        help:
            "Show the messages sent to the emulator by FCM's interface, including those without a recipient, with answers."
    )
    var sent = false

    @Flag(help: "Go on with each notification that arrives; with --json, a line for each.")
    var follow = false

    @Flag(help: "Delete all received notifications; with --sent, all sent messages.")
    var reset = false

    func validate() throws {
        if follow, wait != nil || reset {
            throw ValidationError("--follow cannot be combined with --wait or --reset.")
        }
        if sent, installationID != nil {
            throw ValidationError("--sent can be filtered by --token and --topic, not by --installation-id")
        }
    }

    func run() async throws {
        let path = sent ? "/emulator/v1/messages" : "/emulator/v1/inbox"
        if reset {
            _ = try await gateway.admin(.delete, path)
            return print(gateway.json ? "{}" : sent ? "sent messages deleted" : "inbox emptied")
        }
        guard !follow else { return try await printNew(path) }
        let query = try Self.query(filters() + Self.waiting(for: wait, atMost: timeout))
        let answer = try await gateway.admin(.get, path + query)
        print(gateway.json ? answer.text : text(of: answer))
        guard answer["timed_out"] == true else { return }
        throw CommandError("fewer notifications than --wait requires arrived in \(timeout) s; these are all.")
    }

    /// The size of an answer with all that the gateway may have in memory, in bytes.
    private static let largestAnswer = 128 << 20
    /// The longest wait of one request, in seconds.
    private static let longestWait = 60

    /// Prints what is there, and then what arrives.
    private func printNew(_ path: String) async throws {
        let selection = try filters()
        let list = sent ? "messages" : "notifications"
        var after: Int64 = 0
        // The first answer comes at once, and the others as soon as there is something new.
        var wait = [URLQueryItem(name: "timeout", value: "0")]
        while true {
            let query = Self.query(selection + wait + [URLQueryItem(name: "after", value: String(after))])
            let answer = try await gateway.admin(
                .get, path + query, bytes: nil, maximumResponseBytes: Self.largestAnswer
            ).body
            for item in answer[list]?.array ?? [] {
                try printNow(gateway.json ? item.text : text(of: .object([list: .array([item])])))
                after = item["sequence"]?.integer ?? after
            }
            wait = Self.waiting(for: 1, atMost: Self.longestWait)
        }
    }

    private func text(of answer: JSONValue) -> String {
        guard !sent else { return InboxText.messages(answer) }
        return InboxText.notifications(answer, isFiltered: installationID != nil || token != nil || topic != nil)
    }

    private func filters() throws -> [URLQueryItem] {
        var items: [URLQueryItem] = []
        if let installationID { items.append(URLQueryItem(name: "installation_id", value: installationID)) }
        if let token { items.append(URLQueryItem(name: "token", value: try Self.fingerprint(token))) }
        if let topic { items.append(URLQueryItem(name: "topic", value: topic)) }
        return items
    }

    private static func waiting(for count: Int?, atMost seconds: Int) -> [URLQueryItem] {
        [URLQueryItem(name: "timeout", value: String(seconds))]
            + [count.map { URLQueryItem(name: "wait_for", value: String($0)) }].compactMap(\.self)
    }

    private static func query(_ items: [URLQueryItem]) -> String {
        var components = URLComponents()
        components.queryItems = items
        return "?" + (components.percentEncodedQuery ?? "")
    }

    private static func fingerprint(_ argument: String) throws -> String {
        let prefix = "token#"
        if argument.hasPrefix(prefix) { return String(argument.dropFirst(prefix.count)) }
        return String(SHA256.hexadecimal(of: try TokenArgument.token(argument)).prefix(8))
    }
}

/// Text for received notifications and sent messages.
enum InboxText {
    /// Returns a few lines for each notification: its time, its recipient and its text.
    ///
    /// - Parameter isFiltered: `true` if a filter may have excluded notifications.
    static func notifications(_ answer: JSONValue, isFiltered: Bool) -> String {
        let items = answer["notifications"]?.array ?? []
        guard !items.isEmpty else { return isFiltered ? "the inbox has no such notification" : "the inbox is empty" }
        return items.map { item in
            let device = item["registration"]?.shown?.split(separator: "/").last.map(String.init)
            let whose = [device ?? item["token"]?.shown ?? "?", item["condition"]?.shown].compactMap(\.self)
            return text([item["received_at"]?.shown ?? "?"] + whose, item["message"])
        }.joined(separator: "\n")
    }

    /// Returns a few lines for each message: its time, its target, its answer and its text.
    static func messages(_ answer: JSONValue) -> String {
        let items = answer["messages"]?.array ?? []
        guard !items.isEmpty else {
            return "the emulator has received no such message by FCM's interface since its start"
        }
        return items.map { item in
            let target = ["token", "fid", "topic", "condition"].lazy.compactMap { name in
                item[name]?.shown.map { name == "token" ? $0 : "\(name) \($0)" }
            }.first
            let answer = item["error"]?.shown ?? item["id"]?.shown.map { "accepted as \($0)" }
            return text([item["sent_at"]?.shown ?? "?", target ?? "?", answer ?? "?"], item["message"])
        }.joined(separator: "\n")
    }

    private static func text(_ heading: [String], _ message: JSONValue?) -> String {
        ([heading.joined(separator: "  ")] + lines(of: message).map { "  \($0)" }).joined(separator: "\n")
    }

    private static func lines(of message: JSONValue?) -> [String] {
        let alert = ["title", "body"].compactMap { message?["notification"]?[$0]?.shown }
        guard alert.isEmpty else { return alert }
        let keys = message?["data"]?.object?.members.map { EscapedText.line($0.name) } ?? []
        return keys.isEmpty ? [] : ["data: \(keys.joined(separator: ", "))"]
    }
}
