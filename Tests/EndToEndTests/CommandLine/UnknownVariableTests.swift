import TestSupport
import Testing

@Suite("Unknown environment variables of pushgate serve", .timeLimit(.minutes(10)))
struct UnknownVariableTests {
    @Test("serve warns of an unknown variable at its start, and names the nearest one")
    func warning() async throws {
        try await withDataDirectory { directory in
            try await PushgateProgram.running(
                ["serve", "--port", "0", "--data-directory", directory],
                environment: ["PUSHGATE_PORT": "9000", "PUSHGATE_LOG_LEVEL": "warning"]
            ) { child in
                _ = try await child.servedAddress()
                let warnings = child.errorText.split(separator: "\n").filter { $0.contains("PUSHGATE_") }
                #expect(warnings.count == 1, "\(child.errorText)")
                let warning = "PUSHGATE_PORT is not a setting; did you mean PUSHGATE_HTTP_PORT?"
                #expect(warnings.first?.contains(warning) == true)
            }
        }
    }
}
