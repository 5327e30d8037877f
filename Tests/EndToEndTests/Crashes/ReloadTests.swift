import APNsSimulator
import Cryptography
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway whose key Apple refuses", .timeLimit(.minutes(10)))
struct ReloadTests {
    @Test("A refused key holds the app's messages, and a reload with a new key sends them")
    func replacedKey() async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { directory in
                let keyPath = directory + "/AuthKey.p8"
                try ES256PrivateKey.generate().pem.write(toFile: keyPath, atomically: true, encoding: .utf8)
                let settings = apns.gatewaySettings.merging(["apns.keyPath": keyPath]) { $1 }
                try await ServingProcess.running(in: directory + "/data", settings) { serving in
                    let daemon = Daemon(serving.caller)
                    try await daemon.register("phone", token: .randomToken())
                    #expect(try await daemon.trigger().body["pending"] == 1)
                    #expect(apns.simulator.received().map(\.reason) == ["InvalidProviderToken"])
                    try await spoil(keyPath, then: serving)
                    let good = try String(contentsOfFile: try #require(apns.addresses.providerKeyPath), encoding: .utf8)
                    try good.write(toFile: keyPath, atomically: true, encoding: .utf8)
                    serving.child.send(signal: SIGHUP)
                    #expect(await eventually { apns.simulator.received().last?.status == 200 })
                    #expect(Set(apns.simulator.received().map(\.apnsID)).count == 1)
                }
            }
        }
    }

    /// Checks that a key file that cannot be read changes nothing, and is logged.
    private func spoil(_ keyPath: String, then serving: ServingProcess) async throws {
        try "no key".write(toFile: keyPath, atomically: true, encoding: .utf8)
        serving.child.send(signal: SIGHUP)
        #expect(
            await eventually {
                serving.child.errorText.contains("failed to reload") && serving.child.errorText.contains(keyPath)
            })
        #expect(serving.child.isRunning)
    }
}
