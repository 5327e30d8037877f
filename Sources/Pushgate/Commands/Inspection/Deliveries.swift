import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `deliveries`.
struct Deliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the delivery of messages.",
        discussion: """
            Without an id it lists the newest messages: the time of acceptance, and the numbers of notifications \
            accepted by the push service, pending and rejected. With an id it lists the message's notifications: the \
            device, the outcome, the apns-id and the failed attempts. Messages are kept for a week \
            (messages.retention). Those that “pushgate send --in” scheduled are listed by --scheduled, and cancelled by \
            their id and --cancel.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Argument(help: "The id of a message.")
    var id: String?

    @Option(help: "The largest number of messages, 1 to 200.")
    var limit = 20

    @Option(help: "Only messages accepted before this time, for example 2026-01-31T12:00:00Z.")
    var before: String?

    @Option(help: "The page of notifications, from 0, of a message with more than 20 chunks.")
    var page = 0

    @Flag(help: "List the messages that are not due yet, the first due first.")
    var scheduled = false

    @Flag(help: "Cancel the message with the id, which is not due yet.")
    var cancel = false

    func validate() throws {
        guard !cancel || id != nil else { throw ValidationError("--cancel needs the id of a scheduled message.") }
        guard !scheduled || id == nil && before == nil else {
            throw ValidationError("--scheduled goes with neither an id nor --before.")
        }
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be 1 to 200.") }
        guard page >= 0 else { throw ValidationError("--page must be 0 or more.") }
        if let id, id.isEmpty || id.contains("/") { throw ValidationError("“\(id)” is not the id of a message.") }
    }

    func run() async throws {
        let list = scheduled ? "/v1/scheduled" : "/v1/deliveries"
        let answer = try await gateway.admin(cancel ? .delete : .get, list + path)
        if gateway.json { return print(answer.text) }
        print(id == nil ? DeliveryText.list(answer) : DeliveryText.detail(answer))
    }

    private var path: String {
        var components = URLComponents()
        if let id {
            components.path = "/" + id
            return components.percentEncodedPath + (page == 0 || cancel ? "" : "?page=\(page)")
        }
        components.queryItems = [URLQueryItem(name: "limit", value: String(limit))]
        if let before { components.queryItems?.append(URLQueryItem(name: "before", value: before)) }
        return "?" + (components.percentEncodedQuery ?? "")
    }
}
