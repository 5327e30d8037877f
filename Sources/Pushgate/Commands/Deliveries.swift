import ArgumentParser
import Foundation
import HTTPTypes
import JSON

struct Deliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what became of messages, and why.",
        discussion: """
            Without an id, the newest messages: when they were accepted, and how many notifications were taken by the push \
            service, are pending, or were rejected. With one, each of its notifications: whose it is, what became of it, \
            its apns-id, and the attempts that failed. Messages are kept for a week (messages.retention).
            """)

    @OptionGroup var gateway: GatewayOptions

    @Argument(help: "A message's id.")
    var id: String?

    @Option(help: "How many messages at most, up to 200.")
    var limit = 20

    @Option(help: "Only messages accepted before this time, as in 2026-01-31T12:00:00Z.")
    var before: String?

    @Option(help: "Of a message with more than 20 chunks, which page of its notifications.")
    var page = 0

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be 1 to 200.") }
        guard page >= 0 else { throw ValidationError("--page must be 0 or more.") }
        if let id, id.isEmpty || id.contains("/") { throw ValidationError("“\(id)” is no message’s id.") }
    }

    func run() async throws {
        let answer = try await gateway.admin(.get, "/v1/deliveries" + path)
        if gateway.json { return print(answer.text) }
        print(id == nil ? DeliveryText.list(answer) : DeliveryText.detail(answer))
    }

    private var path: String {
        var components = URLComponents()
        if let id {
            components.path = "/" + id
            return components.percentEncodedPath + (page == 0 ? "" : "?page=\(page)")
        }
        components.queryItems = [URLQueryItem(name: "limit", value: String(limit))]
        if let before { components.queryItems?.append(URLQueryItem(name: "before", value: before)) }
        return "?" + (components.percentEncodedQuery ?? "")
    }
}
