import APNsSimulator
import HTTPTransport
import HTTPTypes
import TestDoubles
import TestSupport
import Testing

@Suite("What clients of FCM hold", .timeLimit(.minutes(1)))
struct FCMSecrecyTests {
    @Test("is in no log line at trace and in no answer but those that hand it out, and credentials are in no file")
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
                    // What is looked for can be found: the search is not blind.
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

    /// HTTP/2 has handlers of its own, which log.
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

    @Test("is not in what the program prints at trace, in either format", arguments: ["human", "json"])
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
