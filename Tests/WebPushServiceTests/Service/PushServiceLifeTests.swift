import Foundation
import Logging
import ServiceLifecycle
import TestDoubles
import Testing
import WebPushService

@Suite("Life cycle of the push service", .timeLimit(.minutes(10)))
struct PushServiceLifeTests {
    @Test("A second start returns the same addresses, and one after a shutdown throws an error")
    func startTwice() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        #expect(try await service.start() == addresses)
        await service.shutdown()
        await service.shutdown()
        await #expect(throws: LocalPushServiceError.self) { try await service.start() }
        #expect(throws: LocalPushServiceError.self) { try service.subscribe(.apple) }
        #expect(service.subscriptions.isEmpty)
    }

    @Test("A service in a service group serves until the group shuts down, and leaves no file behind")
    func serviceGroup() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        let folder = URL(fileURLWithPath: addresses.certificateAuthorityPath).deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["ca.pem"])
        let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A service with a folder keeps its CA and its subscriptions")
    func directory() async throws {
        try await withDataDirectory { folder in
            var configuration = LocalPushServiceConfiguration()
            configuration.directory = folder
            let first = LocalPushService(configuration: configuration)
            let firstAddresses = try await first.start()
            let (subscription, _) = try first.subscribe(.google)
            await first.shutdown()
            let second = LocalPushService(configuration: configuration)
            let secondAddresses = try await second.start()
            #expect(secondAddresses.certificateAuthorityKeyHash == firstAddresses.certificateAuthorityKeyHash)
            #expect(second.subscriptions == [subscription])
            await second.shutdown()
        }
    }

    @Test("A port that is taken is an error with its number, and the other ports are free again")
    func portTaken() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        let port = try #require(URL(string: addresses.push)?.port)
        for key in [
            \LocalPushServiceConfiguration.port, \.browserPort, \.chromiumPort, \.proxyPort, \.controlPort,
        ] {
            var configuration = LocalPushServiceConfiguration()
            configuration[keyPath: key] = port
            let other = LocalPushService(configuration: configuration)
            let error = await #expect(throws: LocalPushServiceError.self) { try await other.start() }
            #expect(error?.description.contains("127.0.0.1:\(port)") == true)
        }
        await service.shutdown()
    }

    @Test("A wait that times out throws an error with the number received")
    func waitInVain() async throws {
        let service = LocalPushService()
        let error = await #expect(throws: LocalPushServiceError.self) {
            try await service.wait(for: 1, timeout: .milliseconds(20))
        }
        #expect(error?.description == "waited 0.02 s for 1 messages and received 0")
    }

    @Test("The banner has the settings of both browsers, of a sender and of a gateway")
    func banner() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        await service.shutdown()
        let banner = addresses.banner
        #expect(banner.contains("  user_pref(\"dom.push.serverURL\", \"\(addresses.firefox)\");\n"))
        #expect(banner.contains("  user_pref(\"dom.push.testing.allowInsecureServerURL\", true);\n"))
        #expect(banner.contains("  user_pref(\"dom.push.connection.enabled\", true);\n"))
        #expect(banner.contains("  user_pref(\"alerts.useSystemBackend\", false);\n"))
        for flag in addresses.chromiumFlags { #expect(banner.contains(flag)) }
        #expect(banner.contains("GOOGLE_API_KEY=x "))
        #expect(banner.contains("export HTTPS_PROXY=\(addresses.proxy)"))
        let server = addresses.push.replacing("https://", with: "")
        #expect(server.hasPrefix("127.0.0.1:"))
        #expect(banner.contains("export PUSHGATE_WEBPUSH_CA_FILE=\(addresses.certificateAuthorityPath)\n"))
        #expect(banner.contains("export PUSHGATE_WEBPUSH_ALLOWED_HOSTS=\(server)\n"))
        let substitutes = "fcm.googleapis.com=\(server),jmt17.google.com=\(server)"
        #expect(banner.hasSuffix("export PUSHGATE_WEBPUSH_CONNECT_TO=\(substitutes)"))
        #expect(addresses.firefox.hasPrefix("ws://127.0.0.1:"))
        #expect(Data(base64Encoded: addresses.certificateAuthorityKeyHash)?.count == 32)
        #expect(addresses.firefoxUserJS.split(separator: "\n").count == 5)
    }
}
