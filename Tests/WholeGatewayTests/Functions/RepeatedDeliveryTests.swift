import APNsSimulator
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Repeated deliveries of a function's notification", .timeLimit(.minutes(10)))
struct RepeatedDeliveryTests {
    @Test("A repeated notification has the same message id on every device, at every attempt and after a restart")
    func id() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let tokens = (0..<2).map { _ in String.randomToken() }
                apns.simulator.script(token: tokens[0], answers: [ScriptedAnswer(status: 500, count: 2)])
                try await withGateway(simulator: apns, in: directory) { gateway in
                    let daemon = Daemon(gateway.caller)
                    for token in tokens { try await daemon.register(token, token: token) }
                    #expect(try await daemon.trigger().body["pending"] == 1)
                }
                // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                let restored = directory + "-restored"
                try FileManager.default.copyItem(atPath: directory, toPath: restored)
                try await withGateway(simulator: apns, in: restored) { _ in
                    try await eventually("a third attempt is accepted") {
                        apns.simulator.received().count { $0.token == tokens[0] } == 3
                    }
                }
                let ids = apns.simulator.received().map { $0.payload?["gcm.message_id"]?.string }
                #expect(ids.count == 4 && Set(ids).count == 1)
                #expect(ids.first??.utf8.count == 20)
            }
        }
    }

    @Test("Two notifications of one function have different message ids")
    func otherMessages() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: .randomToken())
                for _ in 0..<2 { #expect(try await daemon.trigger().body["sent"] == 1) }
                let payloads = apns.simulator.received().map(\.payload)
                #expect(Set(payloads.map { $0?["gcm.message_id"]?.string }).count == 2)
                for payload in payloads {
                    #expect(payload?["google.c.sender.id"] == nil && payload?["google.c.fid"] == nil)
                }
            }
        }
    }
}
