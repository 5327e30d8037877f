import Foundation
import TestSupport
import Testing

/// Tests mostly run as root, which may do more than the user of a service.
@Suite("A gateway of an ordinary user", .timeLimit(.minutes(10)))
struct OrdinaryUserTests {
    private static let isRoot: ConditionTrait = .enabled(
        if: SpecialFile.canChangeOwners, "only root becomes another user")

    /// Returns a program and arguments that run the gateway's program as an ordinary user, from a copy that this user
    /// can reach.
    private func withProgram(_ body: (_ folder: String, _ run: [String]) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let user = "\(SpecialFile.stranger)"
            try await copyProgram(PushgateProgram.path, to: folder + "/pushgate")
            try SpecialFile.giveAway(folder)
            try #require(chmod(folder, 0o755) == 0)
            let become = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
            try await body(folder, become + [folder + "/pushgate"])
        }
    }

    @Test("It delivers to a push service over HTTP/2 as root's does", isRoot)
    func demo() async throws {
        try await withProgram { folder, program in
            let finished = try await ChildProcess.running(
                program[0], Array(program.dropFirst()) + ["demo"], environment: ["TMPDIR": folder]
            ) { try await $0.finish() }
            #expect(finished.exitCode == 0, "\(finished.output) \(finished.errors)")
            #expect(finished.output.contains("Everything arrived."))
        }
    }

    @Test("Root acts as the owner of a directory that it names, for requests, a backup and the doctor", isRoot)
    func root() async throws {
        try await withProgram { folder, program in
            let data = folder + "/data"
            let serve = ["serve", "--port", "0", "--data-directory", data]
            // Root owns the way to the directory.
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            try SpecialFile.giveAway(data)
            try #require(chmod(data, 0o700) == 0)
            try SpecialFile.giveAway(folder, to: 0)
            try await ChildProcess.running(program[0], Array(program.dropFirst()) + serve) { child in
                _ = try await child.servedAddress()
                func run(_ verb: String...) async throws -> FinishedProcess {
                    try await PushgateProgram.run(verb + ["--data-directory", data])
                }
                let inbox = try await run("inbox")
                #expect(inbox.exitCode == 0, "\(inbox.errors)")
                let file = folder + "/one.backup"
                let backup = try await run("backup", file)
                #expect(backup.exitCode == 0 && backup.output.contains("checked"), "\(backup.errors)")
                let attributes = try FileManager.default.attributesOfItem(atPath: file)
                #expect(attributes[.ownerAccountID] as? Int == 0 && attributes[.posixPermissions] as? Int == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: data + "/backups") == [])
                let doctor = try await run("doctor", "--offline")
                #expect(doctor.exitCode == 0 && doctor.output.contains("running at http"), "\(doctor.output)")

                // A link to a file of root leads the owner nowhere.
                try FileManager.default.removeItem(atPath: data + "/admin-token")
                try "0123456789abcdef0123456789abcdef\n".write(
                    toFile: folder + "/secret", atomically: false, encoding: .utf8)
                try #require(chmod(folder + "/secret", 0o600) == 0)
                try FileManager.default.createSymbolicLink(
                    atPath: data + "/admin-token", withDestinationPath: folder + "/secret")
                let refused = try await run("inbox")
                #expect(refused.exitCode == 1 && refused.errors.contains("no admin token"), "\(refused.errors)")
            }
        }
    }

    @Test("The doctor takes options, secrets and rights from a unit of systemd", isRoot)
    func unit() async throws {
        try await withProgram { folder, _ in
            try SpecialFile.giveAway(folder, to: 0)
            let (data, key) = (folder + "/data", folder + "/key.p8")
            let (file, token) = (folder + "/pushgate.yaml", folder + "/token")
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            try SpecialFile.giveAway(data)
            try "no key".write(toFile: key, atomically: false, encoding: .utf8)
            try "log: { level: info }".write(toFile: file, atomically: false, encoding: .utf8)
            try "0123456789abcdef".write(toFile: token, atomically: false, encoding: .utf8)
            // The directory's group may read the token, and root's the file; the gateway's user is in neither.
            try #require(chmod(key, 0o600) == 0 && chmod(file, 0o640) == 0 && chmod(token, 0o640) == 0)
            let group: UInt32 = 54_321
            try #require(chown(data, SpecialFile.stranger, group) == 0 && chown(token, 0, group) == 0)
            let variables = "PUSHGATE_APNS_KEY_ID=ABC123DEFG\nPUSHGATE_APNS_TEAM_ID=DEF123GHIJ\n"
            try variables.write(toFile: folder + "/environment", atomically: false, encoding: .utf8)
            let shown = """
                LoadState=loaded
                ExecStart={ path=/usr/bin/pushgate ; argv[]=/usr/bin/pushgate serve --data-directory \(data) \
                --config \(file) ; pid=0 }
                Environment=PUSHGATE_APNS_KEY_PATH=\(key) PUSHGATE_APNS_BUNDLE_ID=com.example.app \
                PUSHGATE_ADMIN_TOKEN_FILE=\(token)
                EnvironmentFiles=\(folder)/environment (ignore_errors=yes)
                """
            try shown.write(toFile: folder + "/shown", atomically: false, encoding: .utf8)
            try "#!/bin/sh\ncat \(folder)/shown\n".write(
                toFile: folder + "/script", atomically: false, encoding: .utf8)
            try await copyProgram(folder + "/script", to: folder + "/systemctl")
            func doctor() async throws -> FinishedProcess {
                try await PushgateProgram.run(
                    ["doctor", "--unit", "pushgate", "--offline"], environment: ["PATH": "\(folder):/usr/bin:/bin"])
            }
            let finished = try await doctor()
            #expect(finished.exitCode == 1, "\(finished.errors)")
            #expect(finished.output.contains("apps: com.example.app"), "\(finished.output) \(finished.errors)")
            for (setting, path) in [
                ("apns.keyPath", key), ("--config", file), ("PUSHGATE_ADMIN_TOKEN_FILE", token),
            ] {
                let words = "\(setting): cannot read \(path): the user nobody may not read it"
                #expect(finished.output.contains(words), "\(finished.output)")
            }
            for line in ["Group=\(group)", "SupplementaryGroups=0 \(group)"] {
                try "\(shown)\n\(line)\n".write(toFile: folder + "/shown", atomically: false, encoding: .utf8)
                let member = try await doctor()
                #expect(member.output.contains("cannot read \(key)"), "\(member.output)")
                #expect(!member.output.contains("cannot read \(token)"), "\(member.output)")
            }
            try "LoadState=not-found\n".write(toFile: folder + "/shown", atomically: false, encoding: .utf8)
            let none = try await PushgateProgram.run(
                ["doctor", "--unit", "none"], environment: ["PATH": "\(folder):/usr/bin:/bin"])
            #expect(none.exitCode == 1 && none.errors.contains("there is no unit none"), "\(none.errors)")
        }
    }
}
