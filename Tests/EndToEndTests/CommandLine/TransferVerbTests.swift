import JSON
import TestSupport
import Testing

@Suite("pushgate export and import", .timeLimit(.minutes(10)))
struct TransferVerbTests {
    @Test(
        "A gateway on an import has the devices of the one that was exported while it ran",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func move() async throws {
        try await withTemporaryDirectory { parent in
            let (file, secret) = (parent + "/all.jsonl", String.randomSecret())
            try await ServingProcess.running(in: parent + "/old") { serving in
                try await Daemon(serving.caller, secret: secret).register("phone", token: "emulated:phone")
                let exported = try await run("export", file, in: parent + "/old")
                #expect(exported.exitCode == 0 && exported.output.contains("keep it like a key"), "\(exported.errors)")
                let again = try await run("export", file, in: parent + "/old")
                #expect(again.exitCode == 1 && again.errors.contains("exists already"))
                let used = try await run("import", file, in: parent + "/old")
                #expect(used.exitCode == 1 && used.errors.contains("nothing in it is replaced"), "\(used.errors)")
            }
            let checked = try await run("import", file, "--check", in: parent + "/new")
            #expect(checked.exitCode == 0 && checked.output.contains("is whole: "), "\(checked.output)")
            let imported = try await run("import", file, in: parent + "/new")
            #expect(imported.exitCode == 0 && imported.output.hasPrefix("imported "), "\(imported.errors)")
            try await ServingProcess.running(in: parent + "/new") { serving in
                let answer = try await Daemon(serving.caller, secret: secret).trigger()
                #expect(answer.body["sent"] == 1)
            }
            let missing = try await run("import", parent + "/none", in: parent + "/newer")
            #expect(missing.exitCode == 1 && missing.errors.contains("there is no file"))
        }
    }

    private func run(_ arguments: String..., in directory: String) async throws -> FinishedProcess {
        try await PushgateProgram.run(arguments + ["--data-directory", directory])
    }
}
