import APNsSimulator
import HTTPClient
import HTTPTypes
import TestDoubles
import TestSupport
import Testing

@Suite("Secrets of FCM clients", .timeLimit(.minutes(10)))
struct FCMSecrecyTests {
    @Test(
        "Secrets of FCM clients are in no trace log and in no other answer, and credentials are in no file",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func nowhere() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let log = CollectedLog()
                try await withGateway(FCMAddresses.settings, simulator: apns, in: directory, log: log) { gateway in
                    let cast = try await FCMCast(gateway.caller, in: directory)
                    try await cast.behave(apns.simulator)
                    try await askOverTLS(cast, gateway)
                    let answers = try await (cast.misbehave() + cast.look { try await gateway.ask($0) })
                        .map { "\($0.headerFields) \($0.text)" }
                    let texts = await answers + cast.babble()
                    // Proves that the search works: it finds a token that is stored.
                    #expect(try !FileBytes(in: directory).files(containing: cast.devices[0]).isEmpty)
                    #expect(log.lines.contains { $0.hasPrefix("trace") })
                    #expect(log.lines.contains { $0.contains("Unregistered") })
                    for secret in cast.secrets {
                        #expect(log.lines.filter { $0.contains(secret) } == [])
                        #expect(texts.filter { $0.contains(secret) } == [])
                    }
                    for secret in cast.credentials {
                        #expect(try FileBytes(in: directory).files(containing: secret) == [])
                    }
                }
            }
        }
    }

    /// Sends requests over HTTP/2, whose handlers log on their own.
    private func askOverTLS(_ cast: FCMCast, _ gateway: RunningGateway) async throws {
        try await FCMAddresses(gateway).withClient(throughProxy: true) { client in
            for (suffix, status) in [("?details=true", 200), ("x", 403), ("/more", 404)] {
                let answer = try await client.execute(
                    HTTPClientRequest(
                        url: "https://iid.googleapis.com/iid/info/\(cast.registrations[0])\(suffix)",
                        headerFields: [.authorization: "Bearer \(cast.accessToken)"]))
                #expect(answer.statusCode == status)
            }
        }
    }

    @Test(
        "Secrets of FCM clients are not in the program's output at level trace, in either format",
        arguments: ["human", "json"])
    func program(format: String) async throws {
        try await withSimulator { apns in
            let settings = apns.gatewaySettings.merging(["log.level": "trace", "log.format": format]) { $1 }
            try await ServingProcess.running(settings) { serving in
                let cast = try await FCMCast(serving.caller, in: serving.directory)
                try await cast.behave(apns.simulator)
                _ = try await cast.misbehave()
                _ = await cast.babble()
                serving.child.send(signal: 15)
                let finished = try await serving.child.finish()
                #expect(finished.errors.contains("trace"))
                for secret in cast.secrets {
                    #expect(!finished.output.contains(secret) && !finished.errors.contains(secret))
                }
            }
        }
    }
}
