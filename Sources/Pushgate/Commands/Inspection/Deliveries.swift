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
            their id and --cancel. With --follow it goes on with each message that is accepted or changes, a line each; \
            with an id until all of its notifications have settled.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Argument(help: ArgumentHelp("The id of a message.", valueName: "ID"))
    var id: String?

    @Option(help: ArgumentHelp("The largest number of messages, 1 to 200.", valueName: "N"))
    var limit = 20

    @Option(
        help: ArgumentHelp(
            "Only messages accepted before this time, for example 2026-01-31T12:00:00Z.", valueName: "TIME"))
    var before: String?

    @Option(
        help: ArgumentHelp("The page of notifications, from 0, of a message with more than 20 chunks.", valueName: "N"))
    var page = 0

    @Flag(help: "List the messages that are not due yet, the first due first.")
    var scheduled = false

    @Flag(help: "Cancel the message with the id, which is not due yet.")
    var cancel = false

    @Flag(help: "Go on with what happens from now on; with --json, a line for each message.")
    var follow = false

    private static let interval = Duration.seconds(1)
    private static let largestPage = 200

    func validate() throws {
        guard !cancel || id != nil else { throw ValidationError("--cancel needs the id of a scheduled message.") }
        guard !scheduled || id == nil && before == nil else {
            throw ValidationError("--scheduled goes with neither an id nor --before.")
        }
        guard !follow || before == nil && !scheduled && !cancel else {
            throw ValidationError("--follow cannot be combined with --before, --scheduled or --cancel.")
        }
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be 1 to 200.") }
        guard page >= 0 else { throw ValidationError("--page must be 0 or more.") }
        if let id, id.isEmpty || id.contains("/") { throw ValidationError("“\(id)” is not the id of a message.") }
    }

    func run() async throws {
        if follow { return try await (id == nil ? followAll() : followOne()) }
        let list = scheduled ? "/v1/scheduled" : "/v1/deliveries"
        let answer = try await gateway.admin(cancel ? .delete : .get, list + path)
        if gateway.json { return print(answer.text) }
        print(id == nil ? DeliveryText.list(answer) : DeliveryText.detail(answer))
    }

    /// Prints one message each time it changes, until it has settled.
    private func followOne() async throws {
        var last: JSONValue?
        while true {
            let delivery = try await gateway.admin(.get, "/v1/deliveries" + path)
            if delivery != last { try printNow(gateway.json ? delivery.text : DeliveryText.detail(delivery)) }
            if Self.hasSettled(delivery) { return }
            last = delivery
            try await Task.sleep(for: Self.interval)
        }
    }

    /// Returns `true` if nothing happens any longer: also for a scheduled message that was not sent.
    private static func hasSettled(_ delivery: JSONValue) -> Bool {
        delivery["pending"] == 0 && delivery["expanding"] != true || delivery["state"] == "dropped"
    }

    /// Prints the newest messages, and goes on with those that are accepted or change.
    private func followAll() async throws {
        var followed = FollowedDeliveries()
        var page = try await gateway.admin(.get, "/v1/deliveries" + path)
        while true {
            for delivery in followed.changes(in: page["deliveries"]?.array ?? []) {
                try printNow(gateway.json ? delivery.text : DeliveryText.line(delivery))
            }
            try await Task.sleep(for: Self.interval)
            page = try await newest(since: followed)
        }
    }

    /// Returns the newest messages: one page, and further ones until a message is known.
    private func newest(since followed: FollowedDeliveries) async throws -> JSONValue {
        var (deliveries, before): ([JSONValue], String?) = ([], nil)
        repeat {
            let page = try await gateway.admin(
                .get, "/v1/deliveries" + Self.query(limit: Self.largestPage, before: before))
            let found = page["deliveries"]?.array ?? []
            deliveries += found
            // The first messages ever have no known ones before them.
            before = followed.isEmpty || followed.knows(anyOf: found) ? nil : page["next"]?.string
        } while before != nil
        return ["deliveries": .array(deliveries)]
    }

    private var path: String {
        var components = URLComponents()
        if let id {
            components.path = "/" + id
            return components.percentEncodedPath + (page == 0 || cancel ? "" : "?page=\(page)")
        }
        return Self.query(limit: limit, before: before)
    }

    private static func query(limit: Int, before: String?) -> String {
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "limit", value: String(limit))]
        if let before { components.queryItems?.append(URLQueryItem(name: "before", value: before)) }
        return "?" + (components.percentEncodedQuery ?? "")
    }
}
