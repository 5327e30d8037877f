import Foundation
import TestDoubles
import TestSupport
import Testing

/// A folder with a `pushgate-data` directory that names another user's gateway.
@Suite("Data directory that other users may write", .timeLimit(.minutes(10)))
struct UntrustedDirectoryTests {
    /// Every verb that sends a secret to a gateway, or writes its address to a file.
    private static let verbs = [
        ["register", "--cwd", "/srv", "--token", "emulated:1"], ["unregister"], ["trigger", "--cwd", "/srv"],
        ["inbox"], ["script"], ["deliveries"], ["documents", "list"], ["enable", "--env-file", "daemon.env"],
        ["health"],
    ]
    private static let verbWithDirectory = ["trigger", "--cwd", "/srv", "--data-directory", "./pushgate-data"]
    private static let isRoot: ConditionTrait = .enabled(if: SpecialFile.canChangeOwners, "only root gives files away")

    private func withTrap(_ body: (String, SilentListener) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let listener = try SilentListener()
            let directory = folder + "/pushgate-data"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try write(listener.url + "\n", to: directory + "/address")
            try write("0123456789abcdef0123456789abcdef\n", to: directory + "/admin-token")
            try await body(folder, listener)
        }
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, 0o600) == 0)
    }

    /// Runs a verb in the folder until it ends or has connected.
    private func expectRefusal(_ verb: [String], in folder: String, _ listener: SilentListener) async throws {
        try await PushgateProgram.running(
            inFolder: folder, verb, environment: ["CODEAGENTS_PUSH_SECRET": .randomSecret()]
        ) { child in
            #expect(await eventually { listener.hasConnection || !child.isRunning })
            #expect(!listener.hasConnection, "\(verb) connected to the gateway that others named")
            guard !listener.hasConnection else { return }
            let finished = try await child.finish()
            #expect(finished.exitCode == 1 && finished.output == "")
            for text in [listener.url, "--server", "pushgate-data"] {
                #expect(finished.errors.contains(text), "\(verb): \(finished.errors)")
            }
        }
    }

    @Test(
        "No verb connects to the gateway that another user's data directory names",
        isRoot, arguments: verbs + [verbWithDirectory])
    func strangers(verb: [String]) async throws {
        try await withTrap { folder, listener in
            for path in ["", "/address", "/admin-token"] { try SpecialFile.giveAway(folder + "/pushgate-data" + path) }
            try await expectRefusal(verb, in: folder, listener)
            #expect(!FileManager.default.fileExists(atPath: folder + "/daemon.env"))
        }
    }

    @Test("A verb does not trust an address file of another user", isRoot)
    func strangersFile() async throws {
        try await withTrap { folder, listener in
            try SpecialFile.giveAway(folder + "/pushgate-data/address")
            try await expectRefusal(["trigger", "--cwd", "/srv"], in: folder, listener)
        }
    }

    @Test("A verb does not trust a directory or an address file that others may write, or a link", arguments: 0..<5)
    func modes(index: Int) async throws {
        try await withTrap { folder, listener in
            let directory = folder + "/pushgate-data"
            switch index {
            case 0: #expect(chmod(directory, 0o777) == 0)
            case 1: #expect(chmod(directory, 0o770) == 0)
            case 2: #expect(chmod(directory + "/address", 0o666) == 0)
            case 3: #expect(chmod(folder, 0o777) == 0)
            default:
                try FileManager.default.moveItem(atPath: directory + "/address", toPath: folder + "/elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: directory + "/address", withDestinationPath: folder + "/elsewhere")
            }
            // A link is not read, so its address is unknown to the verb.
            if index == 4 { try write(listener.url, to: folder + "/elsewhere") }
            try await PushgateProgram.running(
                inFolder: folder, ["trigger", "--cwd", "/srv"],
                environment: ["CODEAGENTS_PUSH_SECRET": .randomSecret()]
            ) { child in
                #expect(await eventually { listener.hasConnection || !child.isRunning })
                #expect(!listener.hasConnection)
                guard !listener.hasConnection else { return }
                let finished = try await child.finish()
                #expect(finished.exitCode == 1 && finished.errors.contains("--server"), "\(finished.errors)")
            }
        }
    }

    @Test("A verb does not trust a data directory behind another user's link or in another user's folder", isRoot)
    func wayThere() async throws {
        try await withTrap { folder, listener in
            #expect(chmod(folder, 0o755) == 0)
            try FileManager.default.moveItem(atPath: folder + "/pushgate-data", toPath: folder + "/mine")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/pushgate-data", withDestinationPath: folder + "/mine")
            try SpecialFile.giveAway(folder + "/pushgate-data")
            try await expectRefusal(["trigger", "--cwd", "/srv"], in: folder, listener)
        }
        try await withTrap { folder, listener in
            try SpecialFile.giveAway(folder)
            try await expectRefusal(["trigger", "--cwd", "/srv"], in: folder, listener)
        }
    }

    @Test("A verb asks another user's gateway if --server names it, and health if the directory is named", isRoot)
    func named() async throws {
        try await withDataDirectory { path in
            try await withGateway(in: path) { gateway in
                for name in ["", "/address", "/admin-token"] { try SpecialFile.giveAway(path + name) }
                let inbox = try await PushgateProgram.run(
                    ["inbox", "--server", gateway.url, "--data-directory", path])
                #expect(inbox.exitCode == 0, "\(inbox.errors)")
                let health = try await PushgateProgram.run(["health"], environment: ["PUSHGATE_DATA_DIRECTORY": path])
                #expect(health.exitCode == 0 && health.output == "ok\n", "\(health.errors)")
                for name in ["/address", "/admin-token", ""] { try SpecialFile.giveAway(path + name, to: 0) }
            }
        }
    }
}
