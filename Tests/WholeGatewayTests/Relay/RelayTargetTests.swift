import ClientCryptography
import Foundation
import PushgateClient
import TestBasics
import TestDoubles
import TestSupport
import Testing

/// Tests the targets that a relay takes behind an address, as its apps name them.
@Suite("Targets behind an author's relay", .timeLimit(.minutes(10)))
struct RelayTargetTests {
    /// Registers a target at a relay with Web Push, and returns the error; `nil` if it got an address.
    private func error(of target: RelayTarget) async throws -> RelayError? {
        let settings = RelayWorld.settings.merging(["webpush.subject": "mailto:ops@pushgate.dev"]) { $1 }
        return try await withGateway(settings) { relay in
            try await withTemporaryDirectory { folder in
                let hosts = HostTable()
                hosts.lead(RelayWorld.host, to: relay)
                let client = RelayClient(
                    relay: try #require(GatewayURL("https://\(RelayWorld.host)")),
                    storage: RelayFileStorage(file: URL(fileURLWithPath: "\(folder)/keys")),
                    cryptography: OpenSSLCryptography(), http: hosts)
                do throws(RelayError) {
                    try await client.register(target)
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    private func browser(at endpoint: String) throws -> RelayTarget {
        .webPush(
            endpoint: try #require(URL(string: endpoint)), p256dh: SampleSubscription.p256dh,
            auth: SampleSubscription.auth)
    }

    @Test("A browser's subscription at a public push service gets an address")
    func browser() async throws {
        #expect(try await error(of: browser(at: SampleSubscription.endpoint)) == nil)
    }

    @Test(
        "A browser's subscription at a host that strangers must not name gets none, by the rules of Web Push",
        arguments: [
            "https://127.0.0.1/up", "https://192.168.1.5/up", "https://169.254.169.254/up", "https://localhost/up",
            "https://[::1]/up", "https://web.push.apple.com:8443/up", "http://web.push.apple.com/up",
        ])
    func strangersHosts(endpoint: String) async throws {
        let error = try await error(of: browser(at: endpoint))
        guard case .invalidRequest(let message?)? = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(message.hasPrefix("web_push.endpoint "), "\(message)")
    }
}
