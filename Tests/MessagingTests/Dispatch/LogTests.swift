import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Logs of the dispatcher")
struct LogTests {
    @Test("No token is logged at any level, for any outcome")
    func tokens() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token.prefix(4) {
                case "dead": .dead
                case "refu": .refused
                case "busy" where sent.attempt == 1: .busy
                default: .accepted
                }
            })
        let mark = "0123456789abcdef0123456789abcdef"
        try await bench.running {
            let tokens = ["dead", "refu", "busy", "good"].map { $0 + mark }
            let delivery = try await bench.outbox.accept(.sample(tokens: tokens))
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.log.lines.count >= 5)
        #expect(!bench.log.lines.contains { $0.contains(mark) })
        #expect(bench.log.lines.contains { $0.contains(RegistrationToken("dead" + mark).fingerprint) })
    }
}
