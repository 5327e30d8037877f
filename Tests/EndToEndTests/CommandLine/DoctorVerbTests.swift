import JSON
import TestSupport
import Testing

@Suite("pushgate doctor", .timeLimit(.minutes(10)))
struct DoctorVerbTests {
    private func run(_ arguments: [String], _ settings: [String: String]) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            ["doctor"] + arguments + settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] })
    }

    @Test("It exits with 0 if all works, and with 1 and the next step otherwise")
    func exitCodes() async throws {
        try await withDataDirectory { directory in
            let good = try await run(["--offline"], ["data.directory": directory])
            #expect(good.exitCode == 0 && good.output.contains("0 warnings, 0 failures"), "\(good.output)")
            let settings = ["data.directory": directory, "apns.keyPath": "/nowhere.p8", "apns.bundleId": "com.example"]
            let ids = ["apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ"]
            let bad = try await run(["--offline"], settings.merging(ids) { $1 })
            #expect(bad.exitCode == 1 && bad.output.contains("FAILED    keys: apns.keyPath: cannot read /nowhere.p8"))
            #expect(bad.output.contains("\n          → ") && bad.errors.isEmpty)
            let incomplete = try await run([], settings)
            #expect(
                incomplete.exitCode == 1 && incomplete.output.contains("FAILED    settings: apns.keyId: is missing"))
            let unknown = try await run([], ["http.prot": "1"])
            #expect(unknown.exitCode == 1 && unknown.output.contains("http.prot: is not a key"))
        }
    }

    @Test("With --json each line is a finding")
    func json() async throws {
        try await withDataDirectory { directory in
            let finished = try await run(["--offline", "--json"], ["data.directory": directory])
            let lines = finished.output.split(separator: "\n")
            #expect(finished.exitCode == 0 && lines.count >= 4)
            for line in lines {
                let finding = try JSONValue(parsing: String(line))
                #expect(finding["severity"] == "ok" && finding["part"] != nil && finding["fact"] != nil)
            }
        }
    }
}
