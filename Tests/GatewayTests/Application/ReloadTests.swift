import Gateway
import TestDoubles
import TestSupport
import Testing

@Suite("Reading the configuration anew", .timeLimit(.minutes(1)))
struct ReloadTests {
    @Test("names in the log what has changed and waits for a restart, and nothing when nothing has")
    func restartNeeded() async throws {
        try await withGateway { gateway in
            var configuration = gateway.gateway.configuration
            try gateway.gateway.reload(configuration)
            #expect(!gateway.log.lines.contains { $0.contains("restart the gateway") })
            configuration.fcm.proxyPort = 8_444
            try gateway.gateway.reload(configuration)
            let line = gateway.log.lines.first { $0.contains("restart the gateway") }
            #expect(line?.contains(#""sections": fcm"#) == true)
        }
    }
}
