import Console
import DocumentStore
import Emulator
import ExamplePushService
import Foundation
import HTTPTypes
import JSON
import Messaging
import Metrics
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Example push service", .timeLimit(.minutes(10)))
struct ExamplePushServiceTests {
    private static let table = PushServiceTable(PushServiceTable.available.types + [Pager.self])

    /// The metrics of this process from now on. No other test sets them up, which only one may.
    private static let metrics: PrometheusRegistry = {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()

    private func withPagers(
        _ settings: [String: String] = ["pager.numbers": "5"], _ body: (RunningGateway) async throws -> Void
    ) async throws {
        try await withGateway(settings, services: Self.table, body)
    }

    /// Sends a message as the operator, and returns its only notification once it has settled.
    private func notification(to token: String, from gateway: RunningGateway) async throws -> JSONValue {
        let answer = try await gateway.ask("/v1/deliveries", .post, ["to": .string(token), "title": "Call home"])
        let id = try #require(answer.body["id"]?.string, "\(answer.text)")
        return try #require(try await gateway.settledDelivery(id)["notifications"]?[0])
    }

    @Test("A service in the table takes its tokens, and deliveries explain its outcomes in its own words")
    func deliveries() async throws {
        try await withPagers { gateway in
            #expect(!gateway.gateway.isEmulator && gateway.gateway.transportDescription == "Pagers (5 numbers)")
            let accepted = try await notification(to: "pager:4", from: gateway)
            #expect(accepted["state"] == "accepted" && accepted["transport"] == "pager")
            let words = accepted["explanation"]?.string
            #expect(words == "The pager network accepted it. A pager without reception shows it later.")
            let rejected = try await notification(to: "pager:5", from: gateway)
            #expect(rejected["state"] == "rejected" && rejected["reason"] == "NumberRetired")
            #expect(rejected["explanation"] == "Nobody has the number any more. The pager must register again.")
            #expect(gateway.gateway.inbox.items().isEmpty)
        }
    }

    @Test("FCM's interface sends to the service's tokens, and answers its rejection without Apple's detail")
    func fcm() async throws {
        try await withPagers { gateway in
            let bearer = try await gateway.accessToken()
            #expect(try await gateway.sendMessage(["token": "pager:0"], bearer: bearer).status == 200)
            let gone = try await gateway.sendMessage(["token": "pager:9"], bearer: bearer)
            #expect(gone.status == 404 && gone.errorCode == "UNREGISTERED")
            #expect(gone.body["error"]?["details"]?.array?.count == 1)
            let info = try await gateway.fcm(.get, "/iid/info/pager:0", bearer: bearer)
            #expect(info.body["platform"] == "UNKNOWN")
        }
    }

    @Test("A registration keeps the service's attributes, which reach its transport and are shown to nobody")
    func attributes() async throws {
        try await withPagers { gateway in
            let daemon = Daemon(gateway.caller)
            for (device, pin, state) in [("home", "swordfish", "accepted"), ("work", "open-sesame", "rejected")] {
                let answer = try await daemon.register(device, token: "pager:1;\(pin)").body
                let (server, agent) = (answer["server_key"]?.string ?? "", answer["agent_key"]?.string ?? "")
                let path = "servers/\(server)/agents/\(agent)/devices/\(device)"
                let document = try await gateway.gateway.store.document(at: try DocumentPath(path))
                #expect(document?["transport"]?.string == "pager" && document?["fcmToken"]?.string == "pager:1")
                #expect(document?["addressAttributes"]?.map?["pin"]?.string == pin)
                let shown = try await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/\(path)")
                #expect(shown.status == 200 && shown.text.contains("addressAttributes") && !shown.text.contains(pin))
                #expect(try await notification(to: path, from: gateway)["state"] == .string(state))
            }
        }
    }

    @Test("A token is of one of its service's environments, which choose its lane and are offered by the console")
    func environments() async throws {
        try await withPagers { gateway in
            let daemon = Daemon(gateway.caller)
            let answer = try await daemon.register("home", token: "pager:1", ["apns_environment": "Ward"]).body
            let (server, agent) = (answer["server_key"]?.string ?? "", answer["agent_key"]?.string ?? "")
            let path = "servers/\(server)/agents/\(agent)/devices/home"
            let document = try await gateway.gateway.store.document(at: try DocumentPath(path))
            #expect(document?["apnsEnvironment"]?.string == "ward")
            #expect(try await notification(to: path, from: gateway)["environment"] == "ward")
            let refused = try await daemon.register("work", token: "pager:1", ["apns_environment": "sandbox"])
            #expect(refused.status == 400)
            let message: JSONValue = ["to": "pager:1", "body": "x", "environment": "sandbox"]
            let unknown = try await gateway.ask("/v1/deliveries", .post, message)
            #expect(unknown.status == 400 && unknown.text.contains("environment must be ward or street"))
            let page = try await ConsoleUser(gateway).get("/console/messages").text
            #expect(page.contains("<option>sandbox</option><option>production</option><option>ward</option>"))
        }
    }

    @Test("The console shows the service's senders, and the doctor its findings")
    func operators() async throws {
        try await withPagers { gateway in
            let page = try await ConsoleUser(gateway).get("/").text
            #expect(page.contains("<dt>Pagers</dt>") && page.contains("Pagers (5 numbers)"))
            #expect(!page.contains("this gateway is an emulator"))
            var findings: [Finding] = []
            await Doctor(gateway.gateway.configuration, logger: CollectedLog().logger)
                .examine(isOffline: false) { findings.append($0) }
            #expect(findings.contains(.ok("pager", "5 numbers have a pager")))
        }
    }

    @Test("The metrics have the service's outcomes under its name, with the general reason of a rejection")
    func metrics() async throws {
        let metrics = Self.metrics
        try await withPagers { gateway in
            _ = try await notification(to: "pager:4", from: gateway)
            _ = try await notification(to: "pager:5", from: gateway)
            for labels in [
                #"transport="pager",outcome="accepted",reason="""#,
                #"transport="pager",outcome="rejected",reason="registration-token-not-registered""#,
            ] {
                try await eventually("\(labels) is counted") {
                    metrics.text.contains("pushgate_notifications_total{\(labels)} ")
                }
            }
            #expect(metrics.text.contains(#"pushgate_answer_seconds_count{transport="pager"} "#))
        }
    }

    @Test("A reload gives the service its new settings without a restart")
    func reload() async throws {
        try await withPagers { gateway in
            var configuration = gateway.gateway.configuration
            configuration[Pager.self] = try PagerSettings(SettingsReader(text: { _ in "6" }), apps: [])
            try gateway.gateway.reload(configuration)
            #expect(gateway.gateway.delivery.currentDescription == "Pagers (6 numbers)")
            #expect(try await notification(to: "pager:5", from: gateway)["state"] == "accepted")
            #expect(!gateway.log.lines.contains { $0.contains("restart the gateway") })
        }
    }

    @Test("Without its setting the service is off, and the inbox gets its notifications")
    func off() async throws {
        try await withPagers([:]) { gateway in
            #expect(gateway.gateway.isEmulator)
            _ = try await notification(to: "pager:9", from: gateway)
            #expect(gateway.gateway.inbox.items().count == 1)
        }
    }

    @Test("A message to a token whose service is off says which setting is missing")
    func missing() async throws {
        try await withPagers { gateway in
            let apple = try await notification(to: String(repeating: "0f", count: 32), from: gateway)
            #expect(apple["state"] == "rejected" && apple["reason"] == "NoTransportForToken")
            let words = try #require(apple["explanation"]?.string)
            #expect(words.contains("apns.keyPath") && words.contains("pagers need pager.numbers"))
        }
    }

    @Test("An acceptance by a service that the table lacks does not claim that it is in the inbox")
    func unknownService() {
        let words = Explanations(.available).acceptance(by: Pager.name)
        #expect(words.contains("“pager” accepted it") && !words.contains("inbox"))
    }

    @Test("The key of a service that is not in the table is not a key")
    func unknownKey() async throws {
        await #expect(throws: ConfigurationError.self) {
            _ = try await GatewayConfiguration.read(flags: ["pager.numbers": "5"], environment: [:], file: nil)
        }
    }

    @Test("No file outside the example's folder, its test and the package manifest mentions it")
    func touchedFiles() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        var files: Set<String> = []
        for folder in ["Sources", "functions", "store", "Tests"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: root.appending(path: "\(folder)/\(path)"), encoding: .utf8)
                if text.contains(/[Pp]agers?\b|PagerSettings|ExamplePushService/) { files.insert("\(folder)/\(path)") }
            }
        }
        #expect(
            files == [
                "Tests/ExamplePushService/Pager.swift",
                "Tests/WholeGatewayTests/Services/ExamplePushServiceTests.swift",
            ])
    }
}
