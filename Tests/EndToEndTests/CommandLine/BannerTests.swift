import TestDoubles
import TestSupport
import Testing

@Suite("Banner of pushgate serve", .timeLimit(.minutes(10)))
struct BannerTests {
    @Test(
        "The banner names the transport and the systems of the gateway",
        arguments: [
            ([:], "coding agents"),
            (["functions.runs.enabled": "true", "functions.runs.apiKeys": "0123456789abcdef"], "coding agents, runs"),
        ] as [([String: String], String)])
    func systems(settings: [String: String], names: String) async throws {
        try await ServingProcess.running(settings) { serving in
            for line in [
                "\n  transport    Emulated (notifications stay in this gateway's inbox)\n",
                "\n  systems      \(names)\n",
            ] {
                try await eventually("the line “\(line)”") { serving.child.outputText.contains(line) }
            }
        }
    }

    @Test("The banner has the address of the console")
    func console() async throws {
        try await ServingProcess.running([:]) { serving in
            let address = try #require(serving.address("address"))
            let line = "\n  console      \(address)/   (in a browser; sign in with the admin token)\n"
            try await eventually("the line with the console") { serving.child.outputText.contains(line) }
        }
    }

    @Test("The banner has the variable for clients of Firestore, unless its interface is off")
    func firestore() async throws {
        let line = "\n  firestore    FIRESTORE_EMULATOR_HOST=127.0.0.1:"
        try await ServingProcess.running([:]) { serving in
            try await eventually("the line with the variable") { serving.child.outputText.contains(line) }
        }
        try await ServingProcess.running(["firestore.enabled": "false"]) { serving in
            try await eventually("the line after it") { serving.child.outputText.contains("\n  admin token") }
            #expect(!serving.child.outputText.contains(line))
        }
    }
}
