import APNsSimulator
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Secrets and device tokens", .timeLimit(.minutes(10)))
struct SecrecyTests {
    /// A wait that is long enough for a busy machine to get the answer for the dead device.
    private static let patient = ["functions.codeagents.triggerWait": "5s"]

    @Test(
        "Secrets and tokens are in no trace log and in no answer, and the secret is in no file",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func nowhere() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let cast = Cast()
                let log = CollectedLog()
                let answers = try await withGateway(Self.patient, simulator: apns, in: directory, log: log) { gateway in
                    let answers = try await cast.play(gateway, apns.simulator)
                    // Proves that the search works: it finds a token that is stored.
                    #expect(try !FileBytes(in: directory).files(containing: cast.staying).isEmpty)
                    return answers
                }
                #expect(log.lines.contains { $0.hasPrefix("trace") })
                for secret in [cast.secret] + cast.tokens {
                    #expect(!log.lines.contains { $0.contains(secret) })
                    #expect(answers.filter { $0.contains(secret) } == [])
                }
                #expect(try FileBytes(in: directory).files(containing: cast.secret) == [])
            }
        }
    }

    @Test(
        "Tokens of devices that left, died or changed are not in the bytes of the closed database",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func forgotten() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let cast = Cast()
                try await withGateway(Self.patient, simulator: apns, in: directory) { gateway in
                    _ = try await cast.play(gateway, apns.simulator)
                }
                let files = try FileBytes(in: directory)
                #expect(files.names.contains("pushgate.sqlite"))
                #expect(files.files(containing: cast.staying) == ["pushgate.sqlite"])
                for token in [cast.leaving, cast.dead, cast.replaced] {
                    #expect(files.files(containing: token) == [])
                }
            }
        }
    }

    @Test(
        "Secrets and tokens are not in the program's output at level trace, in either format",
        arguments: ["human", "json"])
    func program(format: String) async throws {
        try await withSimulator { apns in
            let cast = Cast()
            let settings = apns.gatewaySettings
                .merging(["log.level": "trace", "log.format": format]) { $1 }
                .merging(Self.patient) { $1 }
            try await ServingProcess.running(settings) { serving in
                try await cast.register(Daemon(serving.caller, secret: cast.secret), apns.simulator)
                _ = try await cast.misbehave(serving.caller)
                serving.child.send(signal: 15)
                let finished = try await serving.child.finish()
                #expect(finished.errors.contains("trace"))
                for secret in [cast.secret] + cast.tokens {
                    #expect(!finished.output.contains(secret) && !finished.errors.contains(secret))
                }
            }
        }
    }
}
