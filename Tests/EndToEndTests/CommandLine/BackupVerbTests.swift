import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("pushgate backup and pushgate restore", .timeLimit(.minutes(10)))
struct BackupVerbTests {
    private func run(_ arguments: String..., in directory: String) async throws -> FinishedProcess {
        try await PushgateProgram.run(arguments + ["--data-directory", directory])
    }

    @Test(
        "A gateway restored from a backup under load has its devices, keys and all messages accepted before it",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func drill() async throws {
        try await withTemporaryDirectory { parent in
            let (file, device, secret) = (parent + "/one.backup", String.randomToken(), String.randomSecret())
            var token = ""
            try await ServingProcess.running(in: parent + "/old") { serving in
                let daemon = Daemon(serving.caller, secret: secret)
                try await daemon.register("phone", token: device)
                for number in 0..<20 { #expect(try await daemon.trigger(preview: "early \(number)").status == 200) }
                token = try String(contentsOfFile: parent + "/old/admin-token", encoding: .utf8)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<4 {
                        group.addTask {
                            while !Task.isCancelled { _ = try? await daemon.trigger(preview: "late \(task)") }
                        }
                    }
                    let made = try await run("backup", file, "--json", in: serving.directory)
                    #expect(made.exitCode == 0, "\(made.errors)")
                    #expect(try JSONValue(parsing: made.output)["documents"] != nil)
                    serving.child.send(signal: SIGKILL)
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent + "/old/backups") == [])
            let restored = try await run("restore", file, in: parent + "/new")
            #expect(restored.exitCode == 0, "\(restored.errors)")
            try await ServingProcess.running(in: parent + "/new") { serving in
                #expect(try String(contentsOfFile: parent + "/new/admin-token", encoding: .utf8) == token)
                let list = try await serving.ask("/v1/deliveries?limit=100").body["deliveries"]?.array ?? []
                #expect(list.count >= 20)
                let answer = try await Daemon(serving.caller, secret: secret).trigger(preview: "after")
                #expect(answer.body["sent"] == 1)
            }
        }
    }

    @Test(
        "A backup of a running gateway has the key with which its browsers have subscribed",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func webPushKey() async throws {
        let settings = ["webpush.subject": "mailto:ops@pushgate.dev"]
        try await withTemporaryDirectory { parent in
            let (old, new, file) = (parent + "/old", parent + "/new", parent + "/one.backup")
            let publicKey = try await ServingProcess.running(in: old, settings) { serving in
                let made = try await run("backup", file, in: serving.directory)
                #expect(made.exitCode == 0, "\(made.errors)")
                return try await serving.caller.send(.get, "/webpush/key").text
            }
            #expect(publicKey.utf8.count == 87)
            let restored = try await run("restore", file, in: new)
            #expect(restored.exitCode == 0, "\(restored.errors)")
            let keys = try [old, new].map { try String(contentsOfFile: $0 + "/webpush-key", encoding: .utf8) }
            #expect(keys[0] == keys[1])
            try await ServingProcess.running(in: new, settings) { serving in
                let key = try await serving.caller.send(.get, "/webpush/key").text
                #expect(key == publicKey)
            }
        }
    }

    @Test(
        "Both verbs refuse what they cannot use, and name the reason",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func refusals() async throws {
        try await withTemporaryDirectory { parent in
            let (data, file) = (parent + "/data", parent + "/one.backup")
            let missing = try await run("backup", file, in: data)
            #expect(missing.exitCode != 0 && missing.errors.contains("there is no gateway's data in \(data)"))
            #expect(!FileManager.default.fileExists(atPath: data))
            try await ServingProcess.running(in: data) { _ in }
            let made = try await run("backup", file, in: data)
            #expect(made.exitCode == 0 && made.output.contains("keep it like a key"), "\(made.errors)")
            // Without a terminal there is no progress.
            #expect(made.errors == "")
            let again = try await run("backup", file, in: data)
            #expect(again.exitCode != 0 && again.errors.contains("exists already"))
            let remote = try await PushgateProgram.run(["backup", file, "--server", "http://127.0.0.1:1"])
            #expect(remote.exitCode == 64 && remote.errors.contains("--data-directory"))
            let full = try await run("restore", file, in: data)
            #expect(full.exitCode != 0 && full.errors.contains("\(data) is not empty"))
            let none = try await run("restore", parent + "/none", in: parent + "/new")
            #expect(none.exitCode != 0 && none.errors.contains("there is no file"))
            let check = try await run("restore", file, "--check", in: parent + "/new")
            #expect(check.exitCode == 0 && check.output.contains("is whole"))
            let handle = try #require(FileHandle(forUpdatingAtPath: file))
            try handle.truncate(atOffset: 20_480)
            let damaged = try await run("restore", file, in: parent + "/new")
            #expect(damaged.exitCode != 0 && damaged.errors.contains("the backup is damaged"))
            #expect(!FileManager.default.fileExists(atPath: parent + "/new"))
        }
    }
}
