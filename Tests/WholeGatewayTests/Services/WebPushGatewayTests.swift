import Cryptography
import Emulator
import Foundation
import HTTPTypes
import JSON
import Messaging
import Secrets
import TestDoubles
import TestSupport
import Testing
import WebPush

@testable import Gateway

@Suite("Gateway with Web Push", .timeLimit(.minutes(10)))
struct WebPushGatewayTests {
    private static let settings = ["webpush.subject": "mailto:ops@pushgate.dev"]
    /// The sender's keys of RFC 8291's example.
    private static let privateKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private static let publicKey =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    /// The text of a subscription at a host that does not exist.
    private static let subscription =
        "webpush:aHR0cHM6Ly9wdXNoLmludmFsaWQv." + SampleSubscription.p256dh + "." + SampleSubscription.auth

    @Test(
        "The key is made at the first start with Web Push, readable by the owner alone, and kept after that",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func key() async throws {
        try await withDataDirectory { directory in
            let path = directory + "/webpush-key"
            func key() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
            // Processes of their own: in this one, the directory would stay locked.
            try await ServingProcess.running(in: directory) { _ in }
            #expect(!FileManager.default.fileExists(atPath: path))
            let first = try await ServingProcess.running(in: directory, Self.settings) { _ in try key() }
            #expect(throws: Never.self) { try ES256PrivateKey(pem: first) }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try await ServingProcess.running(in: directory, Self.settings) { _ in }
            #expect(try key() == first)
            try "damaged".write(toFile: path, atomically: true, encoding: .utf8)
            let error = await #expect(throws: (any Error).self) {
                try await ServingProcess.running(in: directory, Self.settings) { _ in }
            }
            #expect(error.map { "\($0)".contains("webpush-key") } == true, "\(String(describing: error))")
        }
    }

    @Test("A gateway whose key is not that of its browsers' subscriptions says so at its start, once")
    func lostKey() async throws {
        try await withDataDirectory { directory in
            let former = Self.settings.merging(["webpush.privateKey": Self.privateKey]) { $1 }
            // Processes of their own: in this one, the directory would stay locked.
            try await ServingProcess.running(in: directory, former) { serving in
                let browser: JSONValue = [
                    "cwd": "/srv/app", "installation_id": "browser", "web_push": SampleSubscription.json(),
                ]
                let answer = try await serving.caller.call("registerSubscription", browser, secret: .randomSecret())
                #expect(answer.status == 200, "\(answer.text)")
            }
            for isReported in [true, false] {
                try await ServingProcess.running(in: directory, Self.settings) { serving in
                    let words = "found browsers that have subscribed with another key of Web Push"
                    #expect(serving.child.errorText.contains(words) == isReported)
                }
            }
        }
    }

    @Test("The survey of browsers has their servers, for the admin token and for the doctor")
    func survey() async throws {
        try await withGateway(Self.settings) { gateway in
            let endpoints = ["https://push.invalid/1", "https://push.invalid/2", SampleSubscription.endpoint]
            for (number, endpoint) in endpoints.enumerated() {
                let body: JSONValue = [
                    "cwd": "/srv/app", "installation_id": .string("browser-\(number)"),
                    "web_push": SampleSubscription.json(endpoint),
                ]
                let answer = try await gateway.caller.call("registerSubscription", body, secret: .randomSecret())
                #expect(answer.status == 200, "\(answer.text)")
            }
            let expected = SubscriptionSurvey(
                read: 3, isComplete: true,
                servers: [
                    .init(name: "https://push.invalid", registrations: 2),
                    .init(name: "https://web.push.apple.com", registrations: 1),
                ])
            let answer = try await gateway.ask("/webpush/v1/survey")
            #expect(SubscriptionSurvey(answer.body) == expected, "\(answer.text)")
            let client = DoctorClient(caFile: nil, logger: gateway.log.logger)
            let directory = gateway.gateway.storage.directory
            #expect(await client.survey(of: directory, adminToken: nil) == expected)
            #expect(await client.survey(of: directory, adminToken: RedactedString("wrong")) == nil)
        }
    }

    @Test("Web Push alone is no emulator mode, and the operator's address describes it")
    func description() async throws {
        try await withGateway(Self.settings) { gateway in
            #expect(gateway.gateway.transportDescription == "Web Push (mailto:ops@pushgate.dev)")
            #expect(!gateway.gateway.isEmulator)
        }
    }

    @Test("A configured key is used, pages get its public key, and no other is made")
    func configuredKey() async throws {
        let key = ["webpush.privateKey": Self.privateKey]
        try await withGateway(Self.settings.merging(key) { $1 }) { gateway in
            let answer = try await gateway.caller.send(.get, "/webpush/key")
            #expect(answer.status == 200 && answer.text == Self.publicKey, "\(answer.text)")
            #expect(!FileManager.default.fileExists(atPath: gateway.directory + "/webpush-key"))
        }
    }

    /// Sends a message to the subscription, and returns its notification once it has settled.
    private func notification(from gateway: RunningGateway) async throws -> JSONValue {
        let message: JSONValue = ["to": .string(Self.subscription), "title": "Hello"]
        let answer = try await gateway.ask("/v1/deliveries", .post, message)
        let id = try #require(answer.body["id"]?.string, "\(answer.text)")
        return try #require(try await gateway.settledDelivery(id)["notifications"]?[0])
    }

    @Test("The console sends a test to the subscription of a registered browser")
    func consoleTest() async throws {
        try await withGateway { gateway in
            let body: JSONValue = [
                "cwd": "/srv/app", "installation_id": "browser", "web_push": SampleSubscription.json(),
            ]
            _ = try await gateway.caller.call("registerSubscription", body, secret: .randomSecret())
            let user = try await ConsoleUser(gateway)
            let page = try await user.get("/console/devices?of=devices").text
            let link = try #require(page.firstMatch(of: /href="(\/console\/messages\?to=[^"]+)">Send a test</))
            let form = try await user.get(String(link.1)).text
            let to = try #require(form.firstMatch(of: /name="to" value="([^"]+)"/), "\(form)")
            #expect(to.1.hasSuffix("/devices/browser") && !page.contains("QGuQ") && page.contains("webpush"))
            let sent = try await user.post("/console/messages", ["to": String(to.1), "title": "Hello", "body": "Test"])
            #expect(sent.status == 303, "\(sent.text)")
            try await eventually("the browser gets it") { gateway.gateway.inbox.items().count == 1 }
            let address = try #require(gateway.gateway.inbox.items().first?.target.address)
            #expect(address.transport == .webPush && address.attributes.secrets["auth"] == SampleSubscription.auth)
        }
    }

    @Test("Without Web Push and with another push service, a subscription has no transport, and is explained")
    func withoutWebPush() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let notification = try await notification(from: gateway)
                #expect(notification["state"] == "rejected" && notification["reason"] == "NoTransportForToken")
                #expect(notification["explanation"]?.string?.contains("webpush.subject") == true)
            }
        }
    }

    @Test("In emulator mode a message to a subscription is in the inbox")
    func emulator() async throws {
        try await withGateway { gateway in
            let notification = try await notification(from: gateway)
            #expect(notification["state"] == "accepted")
            let items = gateway.gateway.inbox.items()
            #expect(items.map(\.target.address.token.value) == ["https://push.invalid/"])
            #expect(items.map(\.target.address.transport) == [.webPush])
        }
    }
}
