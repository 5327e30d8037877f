import Foundation
import Functions
import GoogleStandIn
import IPAddresses
import JSON
import Messaging
import Secrets
import Server
import Settings
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Reload of the configuration", .timeLimit(.minutes(10)))
struct ReloadTests {
    @Test("A reload logs the changed sections that need a restart, and logs nothing without a change")
    func restartNeeded() async throws {
        try await withGateway { gateway in
            var configuration = gateway.gateway.configuration
            try gateway.gateway.reload(configuration)
            #expect(!gateway.log.lines.contains { $0.contains("restart the gateway") })
            configuration.fcm.proxyPort = 8_444
            configuration[Runs.self] = RunsSettings()
            try gateway.gateway.reload(configuration)
            let line = gateway.log.lines.first { $0.contains("restart the gateway") }
            #expect(line?.contains(#""sections": functions, fcm"#) == true)
        }
    }

    @Test("A reload names the section of the free disk space, and of the bytes that settled messages keep")
    func spaceNeedsRestart() async throws {
        try await withGateway { gateway in
            var configuration = gateway.gateway.configuration
            configuration.data.minimumFreeBytes = 1
            configuration.messages.maximumBytesPerOwner += 1
            try gateway.gateway.reload(configuration)
            let line = gateway.log.lines.first { $0.contains("restart the gateway") }
            #expect(line?.contains(#""sections": data, messages"#) == true)
        }
    }

    @Test("A reload names the sections of the console's token, of the backups and of the peers that read the metrics")
    func otherSectionsNeedRestart() async throws {
        try await withGateway { gateway in
            var configuration = gateway.gateway.configuration
            configuration.admin.readToken = RedactedString("fedcba9876543210")
            configuration.backups.keep += 1
            configuration.metrics.allowedPeers = []
            configuration.metrics.allowedPeers.append(try #require(AddressRange("192.0.2.1")))
            try gateway.gateway.reload(configuration)
            let line = gateway.log.lines.first { $0.contains("restart the gateway") }
            #expect(line?.contains(#""sections": admin, backups, metrics"#) == true)
        }
    }

    // MARK: The relay's account

    /// A gateway that sends through both transports; its relay's account belongs to the project “first”.
    private func withBoth(
        _ body: (RunningGateway, _ directory: String, GoogleStandIn) async throws -> Void
    ) async throws {
        try await withGoogle { google in
            try await withSimulator { apns in
                try await withTemporaryDirectory { directory in
                    let settings = [
                        "fcm.relay.serviceAccount": try account(of: "first", google, in: directory),
                        "fcm.relay.endpoint": google.url,
                    ]
                    try await withGateway(settings, simulator: apns, in: directory + "/data") { gateway in
                        try await body(gateway, directory, google)
                    }
                }
            }
        }
    }

    /// - Returns: The path of the account's file.
    private func account(of project: String, _ google: GoogleStandIn, in directory: String) throws -> String {
        var account = google.serviceAccount
        account["project_id"] = .string(project)
        let path = "\(directory)/\(project).json"
        try Data(JSONValue.object(account).serialized).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func hasAccount(of project: String, _ gateway: RunningGateway) -> Bool {
        gateway.gateway.delivery.service(RelayService.self)?.transport.description.hasSuffix("project \(project)")
            == true
    }

    @Test("A reload takes the relay's account from another file without a restart, and logs both transports")
    func account() async throws {
        try await withBoth { gateway, directory, google in
            #expect(hasAccount(of: "first", gateway))
            var configuration = gateway.gateway.configuration
            configuration[RelayService.self]?.serviceAccountPath = try account(of: "second", google, in: directory)
            try gateway.gateway.reload(configuration)
            #expect(hasAccount(of: "second", gateway))
            #expect(!gateway.log.lines.contains { $0.contains("restart the gateway") })
            let line = try #require(gateway.log.lines.first { $0.contains("reloaded the configuration") })
            #expect(line.contains("project second") && line.contains(RunningSimulator.bundleID))
            configuration[RelayService.self]?.endpoint = "https://localhost:1"
            try gateway.gateway.reload(configuration)
            #expect(gateway.log.lines.contains { $0.contains("restart the gateway") && $0.contains("fcm") })
        }
    }

    @Test("A reload changes nothing if the account's file or an app's key cannot be used")
    func nothingReplaced() async throws {
        try await withBoth { gateway, directory, google in
            let good = gateway.gateway.configuration
            var badAccount = good
            badAccount[RelayService.self]?.serviceAccountPath = directory + "/bad.json"
            try Data("{}".utf8).write(to: URL(fileURLWithPath: directory + "/bad.json"))
            badAccount[APNsService.self]?.apps[0].bundleID = "com.example.other"
            let account = #expect(throws: ConfigurationError.self) { try gateway.gateway.reload(badAccount) }
            #expect(account?.key == "fcm.relay.serviceAccount")
            #expect(
                gateway.gateway.delivery.service(APNsService.self)?.transport.description.contains("com.example.other")
                    == false)
            var badApp = good
            badApp[RelayService.self]?.serviceAccountPath = try self.account(of: "second", google, in: directory)
            badApp[APNsService.self]?.apps[0].keyPath = directory + "/missing.p8"
            let app = #expect(throws: ConfigurationError.self) { try gateway.gateway.reload(badApp) }
            #expect(app?.key == "apns.keyPath")
            #expect(hasAccount(of: "first", gateway))
            #expect(!gateway.log.lines.contains { $0.contains("reloaded the configuration") })
        }
    }
}

extension GatewayDelivery {
    /// Returns the running service of a type; `nil` if it is switched off.
    fileprivate func service<Service: PushService>(_ type: Service.Type) -> Service? {
        services.lazy.compactMap { $0 as? Service }.first
    }
}
