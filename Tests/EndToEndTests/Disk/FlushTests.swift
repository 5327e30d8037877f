#if os(Linux)
    import DocumentStore
    import Foundation
    import TestSupport
    import Testing

    @Suite(
        "A power cut after a verb has succeeded", .timeLimit(.minutes(10)),
        .enabled(if: DiskTrace.isAvailable, "needs strace"), .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    struct FlushTests {
        /// Makes a data directory with a device, which no gateway uses.
        private func makeDirectory(_ path: String) async throws {
            try await ServingProcess.running(in: path) { serving in
                let answer = try await Daemon(serving.caller).register("phone", token: .randomToken())
                #expect(answer.status == 200)
            }
        }

        /// Runs a verb, and requires that it succeeds, and that a power cut after it undoes nothing.
        private func expectDurable(_ arguments: String..., in folder: String) async throws {
            var trace = DiskTrace(of: folder)
            let finished = try await trace.run(arguments)
            #expect(finished.exitCode == 0 && !finished.isSignalled, "\(arguments[0]): \(finished.errors)")
            #expect(trace.losses == [], "\(arguments[0])")
        }

        @Test("A backup, the directory restored from it, an export and its import stay as they are")
        func copies() async throws {
            try await withTemporaryDirectory { parent in
                let (data, backup, export) = (parent + "/data", parent + "/one.backup", parent + "/all.jsonl")
                try await makeDirectory(data)
                try await expectDurable("backup", backup, "--data-directory", data, in: parent)
                try await expectDurable("restore", backup, "--data-directory", parent + "/a/b/restored", in: parent)
                try await expectDurable("export", export, "--data-directory", data, in: parent)
                try await expectDurable("import", export, "--data-directory", parent + "/a/c/imported", in: parent)
                try await expectDurable(
                    "copy", "--from", "sqlite:\(data)", "--to", "sqlite:\(parent)/d/copied", in: parent)
                let again = try await PushgateProgram.run(
                    ["backup", parent + "/two.backup", "--data-directory", parent + "/a/b/restored"])
                #expect(again.exitCode == 0, "\(again.errors)")
            }
        }

        @Test("A backup and an export of a running gateway stay, and their copies in other places stay removed")
        func running() async throws {
            try await withTemporaryDirectory { parent in
                try await ServingProcess.running(in: parent + "/data") { serving in
                    try await Daemon(serving.caller).register("phone", token: .randomToken())
                    for verb in ["backup", "export"] {
                        try await expectDurable(
                            verb, "\(parent)/\(verb)", "--data-directory", serving.directory, in: parent)
                    }
                }
            }
        }

        @Test("A service account stays created or revoked, and a daemon's file stays changed")
        func accounts() async throws {
            try await withTemporaryDirectory { parent in
                let data = parent + "/deep/er/data"
                try await expectDurable("init", "--data-directory", data, in: parent)
                let account = try #require(
                    FileManager.default.contentsOfDirectory(atPath: data + "/service-accounts").first?.prefix(40))
                try await expectDurable(
                    "accounts", "revoke", String(account), "--data-directory", data, in: parent)
                try await expectDurable(
                    "enable", "--env-file", parent + "/daemon.env", "--server", "http://127.0.0.1:1", in: parent)
            }
        }

        @Test("A restore that is killed at a flush leaves a directory on which no gateway starts, and can be repeated")
        func killedRestore() async throws {
            try await withTemporaryDirectory { parent in
                let backup = parent + "/one.backup"
                try await makeDirectory(parent + "/data")
                let made = try await PushgateProgram.run(["backup", backup, "--data-directory", parent + "/data"])
                try #require(made.exitCode == 0)
                var (number, refusals, isKilled) = (0, 0, true)
                while isKilled {
                    number += 1
                    let (path, options) = ("\(parent)/\(number)", ["--data-directory", "\(parent)/\(number)"])
                    isKilled = try await DiskTrace.run(["restore", backup] + options, killedAtFlush: number).isSignalled
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
                    guard !names.contains("pushgate.sqlite"), !names.isEmpty else { continue }
                    #expect(names.contains("pushgate.sqlite.restoring"), "\(number): \(names)")
                    let serve = try await PushgateProgram.run(["serve", "--set", "http.port=0"] + options)
                    #expect(serve.exitCode != 0 && serve.errors.contains("a restore to \(path) was begun"))
                    let doctor = try await PushgateProgram.run(["doctor", "--offline"] + options)
                    #expect(doctor.exitCode == 1 && doctor.output.contains("a restore to \(path) was begun"))
                    let again = try await PushgateProgram.run(["restore", backup] + options)
                    #expect(again.exitCode == 0, "\(again.errors)")
                    #expect(!FileManager.default.fileExists(atPath: path + "/pushgate.sqlite.restoring"))
                    try SQLiteEngine.check(path: path + "/pushgate.sqlite")
                    refusals += 1
                }
                #expect(number > 8 && refusals > 4, "\(number), \(refusals)")
            }
        }

        @Test(
            "A name or contents that were not flushed are found",
            arguments: [
                (#"1 openat(AT_FDCWD</>, "/f/new", O_RDWR|O_CREAT, 0600) = 3</f/new>"#, "is lost: /f/new"),
                (#"1 mkdirat(3</f>, "new", 0700) = 0"#, "is lost: /f/new"),
                (#"1 unlinkat(3</f>, "old", 0)     = 0"#, "comes back: /f/old"),
                (#"1 unlink("/f/old")                = 0"#, "comes back: /f/old"),
                (#"1 write(3</f/old>, ""..., 5) = 5"#, "is incomplete: /f/old"),
                (#"1 link("/f/old", "/f/new") = 0"#, "is lost: /f/new"),
                (#"1 unlink("/f/no") = -1 ENOENT (No such file or directory)"#, nil),
                (#"1 unlink("/elsewhere/old") = 0"#, nil),
            ])
        func losses(line: String, loss: String?) {
            var trace = DiskTrace(of: "/f")
            // Another file of the folder, which stays.
            for line in [#"1 openat(AT_FDCWD</>, "/f/old", O_RDWR|O_CREAT, 0600) = 3</f/old>"#, "1 fsync(3</f>) = 0"] {
                trace.add(Substring(line))
            }
            trace.add(Substring(line))
            #expect(trace.losses == [loss].compactMap(\.self))
            trace.add("2 fsync(4</f> <unfinished ...>")
            trace.add("1 fsync(3</f/old>) = 0")
            trace.add("2 <... fsync resumed>) = 0")
            #expect(trace.losses == [])
        }
    }
#endif
