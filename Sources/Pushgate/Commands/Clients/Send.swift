import ArgumentParser
import HTTPTypes
import JSON

/// The verb `send`.
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a notification to one device, and show what the push service answers.",
        discussion: """
            Waits for the push service and prints each step with its meaning. Exits with 1 unless the push service \
            accepted the notification. Every user of this machine can read arguments, so give a token by standard \
            input (“--to -”) or in the variable PUSHGATE_DEVICE_TOKEN; the path of a registration, which “pushgate \
            documents list” shows, is no secret. As with any notification, a registration whose token the push service \
            reports as invalid is removed. With --in or --at it is sent later; the verb then prints its id and does not \
            wait.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(
        help: ArgumentHelp(
            "The path of a registration's document, or a token; “-” reads it from standard input.",
            discussion: "Default: the environment variable PUSHGATE_DEVICE_TOKEN.", valueName: "TARGET"))
    var to: String?

    @Option(help: ArgumentHelp("The title.", valueName: "TEXT"))
    var title = "Pushgate"

    @Option(help: ArgumentHelp("The text.", valueName: "TEXT"))
    var body = "A test of this gateway."

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("A value for the app, as NAME=VALUE. May be repeated.", valueName: "NAME=VALUE"))
    var values: [String] = []

    @Option(
        help: ArgumentHelp(
            "With a device token: the app's bundle id, if it is not the gateway's default app.", valueName: "BUNDLE-ID")
    )
    var bundleID: String?

    @Option(
        help: ArgumentHelp(
            "With a device token: its environment, sandbox or production. Without it both are tried.", valueName: "NAME"
        ))
    var environment: String?

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("Send it after this time, such as 20m, 90s, 3h or 2d.", valueName: "TIME"))
    var delay: String?

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("Send it at this time, such as 2026-01-31T12:00:00Z.", valueName: "TIME"))
    var time: String?

    @Option(help: ArgumentHelp("The longest wait for the push service, in seconds.", valueName: "SECONDS"))
    var wait = 30

    func validate() throws {
        guard delay == nil || time == nil else { throw ValidationError("Give --in or --at, not both.") }
        guard (0...600).contains(wait) else { throw ValidationError("--wait must be 0 to 600 seconds.") }
        if let value = values.first(where: { !$0.dropFirst().contains("=") }) {
            throw ValidationError("--data takes NAME=VALUE, for example type=test; got “\(value)”.")
        }
    }

    func run() async throws {
        let to = try TokenArgument.token(orFromEnvironment: to, option: "--to")
        let id = try await gateway.admin(.post, "/v1/deliveries", body: message(to))["id"]?.string ?? ""
        guard delay == nil, time == nil else { return try await showScheduled(id) }
        if !gateway.json { print("the gateway accepted the message \(id)") }
        let delivery = try await outcome(of: id)
        if gateway.json {
            print(delivery.text)
        } else {
            print(DeliveryText.steps(delivery))
            if delivery["pending"] != 0 { print("still pending; see later: pushgate deliveries \(id)") }
        }
        guard delivery["accepted"] == delivery["targets"] else { throw ExitCode.failure }
    }

    private func message(_ to: String) -> JSONValue {
        var message: JSONObject = ["to": .string(to), "title": .string(title), "body": .string(body)]
        if !values.isEmpty {
            let members = values.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            message["data"] = .object(JSONObject(members.map { (String($0[0]), .string(String($0[1]))) }))
        }
        message["bundle_id"] = bundleID.map(JSONValue.string)
        message["environment"] = environment.map(JSONValue.string)
        message["deliver_in"] = delay.map(JSONValue.string)
        message["deliver_at"] = time.map(JSONValue.string)
        return .object(message)
    }

    private func showScheduled(_ id: String) async throws {
        let message = try await gateway.admin(.get, "/v1/deliveries/\(id)")
        if gateway.json { return print(message.text) }
        print("\(id)  \(DeliveryText.detail(message))")
        print("cancel it: pushgate deliveries \(id) --cancel")
    }

    /// Returns the delivery once it has settled, or as it is after the wait.
    private func outcome(of id: String) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(wait)
        while true {
            let delivery = try await gateway.admin(.get, "/v1/deliveries/\(id)")
            guard delivery["pending"] != 0, ContinuousClock.now < end else { return delivery }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
