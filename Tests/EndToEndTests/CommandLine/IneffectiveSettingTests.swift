import TestSupport
import Testing

@Suite("Settings without effect of pushgate serve", .timeLimit(.minutes(10)))
struct IneffectiveSettingTests {
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

    @Test("serve starts with a setting that earlier versions had, and warns that it is no longer used")
    func former() async throws {
        try await withDataDirectory { directory in
            let key = "functions.sessions.deviceRetention"
            try await PushgateProgram.running(
                ["serve", "--port", "0", "--data-directory", directory, "--set", "\(key)=30d"],
                environment: ["PUSHGATE_LOG_LEVEL": "warning"]
            ) { child in
                _ = try await child.servedAddress()
                #expect(child.errorText.contains("\(key) is no longer used; remove it"), "\(child.errorText)")
            }
        }
    }
}
