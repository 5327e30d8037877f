import APNsSimulator
import DocumentStore
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Apps that are not configured", .timeLimit(.minutes(10)))
struct UnconfiguredAppTests {
    private static let stranger: JSONObject = ["bundle_id": "com.stranger.app", "apns_environment": "sandbox"]
    private static let suffixes = [
        "", ".voip", ".voip-ptt", ".complication", ".pushkit.fileprovider", ".location-query",
        ".push-type.liveactivity", ".push-type.widgets", ".push-type.controls",
    ]

    /// Stores a subscription as it was before its app was refused.
    private func store(_ token: String, _ daemon: Daemon, in gateway: RunningGateway) async throws -> DocumentPath {
        try await daemon.register("phone", token: token)
        let devices = try await gateway.gateway.store.documents(matching: .collectionGroup("devices"))
        let path = try #require(devices.first?.path)
        _ = try await gateway.gateway.store.commit([
            .merge(path, ["bundleId": .string("com.stranger.app"), "apnsEnvironment": .string("sandbox")])
        ])
        return path
    }

    @Test("A registration for an app that is not configured is refused if its token is Apple's")
    func registration() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let refused = try await daemon.register("a", token: .randomToken(), Self.stranger)
                #expect(refused.status == 400 && refused.code == "app_not_configured")
                #expect(try await gateway.gateway.store.collectionIDs(below: nil).contains("servers") == false)
                for token in ["emulated:a", "fcm-token"] {
                    #expect(try await daemon.register("a", token: token, Self.stranger).status == 200)
                }
                for bundleID in [
                    "com.example.agents.evil", "com.example.agents.voip.voip", "COM.EXAMPLE.AGENTS", ".voip",
                ] {
                    let answer = try await daemon.register("a", token: .randomToken(), ["bundle_id": .string(bundleID)])
                    #expect(answer.code == "app_not_configured", "\(bundleID)")
                }
            }
        }
    }

    @Test("A topic that is a configured app with a known suffix is accepted", arguments: suffixes)
    func suffixed(suffix: String) async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let topic = RunningSimulator.bundleID + suffix
                let answer = try await daemon.register(
                    "a", token: .randomToken(), ["bundle_id": .string(topic), "apns_environment": "sandbox"])
                #expect(answer.status == 200)
                try await daemon.trigger()
                #expect(apns.simulator.received().map(\.topic) == [topic])
            }
        }
    }

    @Test("A stored registration of an app that is not configured is kept, and its notifications are rejected locally")
    func stored() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let path = try await store(.randomToken(), daemon, in: gateway)
                let answer = try await daemon.trigger()
                #expect(answer.body["attempted"] == 1 && answer.body["sent"] == 0 && answer.body["pruned"] == 0)
                #expect(answer.body["errors"] == ["messaging/mismatched-credential": 1])
                #expect(try await gateway.gateway.store.document(at: path) != nil)
                #expect(apns.simulator.received().isEmpty)
                let id = try #require(
                    try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]?["id"]?.string)
                let delivery = try await gateway.settledDelivery(id)
                #expect(delivery["notifications"]?[0]?["reason"] == "AppNotConfigured")
            }
        }
    }

    @Test("An import for an app that is not configured reports it for each token")
    func batchImport() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let token = String.randomToken()
                let body: JSONValue = [
                    "application": "com.stranger.app", "sandbox": true, "apns_tokens": [.string(token), "none"],
                ]
                let answer = try await gateway.fcm(.post, "/iid/v1:batchImport", body, bearer: bearer)
                #expect(answer.status == 200)
                #expect(
                    answer.body["results"]?[0] == [
                        "apns_token": .string(token), "status": "INVALID_ARGUMENT", "error": "app_not_configured",
                    ])
                #expect(answer.body["results"]?[1]?["registration_token"] == nil)
                #expect(try await gateway.gateway.store.collectionIDs(below: nil).contains("registrations") == false)
            }
        }
    }

    @Test("An app that is not configured is sent for with the first key if the setting allows it")
    func allowed() async throws {
        try await withSimulator { apns in
            try await withGateway(["apns.allowUnconfiguredApps": "true"], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let answer = try await daemon.register("a", token: .randomToken(), Self.stranger)
                #expect(answer.status == 200)
                #expect(try await daemon.trigger().body["sent"] == 1)
                #expect(apns.simulator.received().map(\.topic) == ["com.stranger.app"])
            }
        }
    }

    @Test("An emulator accepts registrations for every app")
    func emulator() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            let answer = try await daemon.register("a", token: .randomToken(), Self.stranger)
            #expect(answer.status == 200)
            #expect(try await daemon.trigger().body["sent"] == 1)
        }
    }

    @Test("An app becomes configured by a reload, or by the bundle id of a system")
    func configured() async throws {
        try await withSimulator { apns in
            try await withGateway(
                [
                    "functions.runs.enabled": "true", "functions.runs.apiKeys": "0123456789abcdef",
                    "functions.runs.bundleId": "com.example.runs",
                ], simulator: apns
            ) { gateway in
                let daemon = Daemon(gateway.caller)
                #expect(try await daemon.register("a", token: .randomToken(), Self.stranger).status == 400)
                let ofRuns: JSONObject = ["bundle_id": "com.example.runs"]
                #expect(try await daemon.register("a", token: .randomToken(), ofRuns).status == 200)
                var configuration = gateway.gateway.configuration
                var app = try #require(configuration[APNsService.self]?.apps.first)
                app.bundleID = "com.stranger.app"
                configuration[APNsService.self]?.apps.append(app)
                try gateway.gateway.reload(configuration)
                #expect(try await daemon.register("b", token: .randomToken(), Self.stranger).status == 200)
                #expect(try await daemon.trigger().body["sent"] == 2)
            }
        }
    }
}
