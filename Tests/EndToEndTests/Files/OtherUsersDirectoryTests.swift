import Foundation
import TestSupport
import Testing

/// Root works in a directory whose owner can place links there.
@Suite("Data directory of another user", .timeLimit(.minutes(10)))
struct OtherUsersDirectoryTests {
    private static let isRoot: ConditionTrait = .enabled(if: SpecialFile.canChangeOwners, "only root gives files away")

    /// - Parameter body: Receives the data directory, and a folder that only root may write.
    private func withDirectories(_ body: (_ data: String, _ target: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            for name in ["data", "target"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            try SpecialFile.giveAway(folder + "/data")
            try await body(folder + "/data", folder + "/target")
        }
    }

    private func serve(_ directory: String) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            ["serve", "--port", "0", "--set", "fcm.tls.port=0", "--data-directory", directory])
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        try SpecialFile.giveAway(path)
    }

    private func names(_ path: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    @Test(
        "serve does not write through a link in another user's data directory", isRoot,
        arguments: ["lock", "pushgate.sqlite.lock", "pushgate.sqlite", "admin-token", "gateway-key", "ca.pem"])
    func links(name: String) async throws {
        try await withDirectories { data, target in
            try link(data + "/" + name, to: target + "/file")
            let finished = try await serve(data)
            #expect(try names(target) == [])
            #expect(finished.exitCode == 1 && finished.errors.contains("\(data)/\(name)"), "\(finished.errors)")
            #expect(finished.errors.contains("link"), "\(finished.errors)")
        }
    }

    @Test("init does not write through a link in another user's data directory", isRoot)
    func accounts() async throws {
        try await withDirectories { data, target in
            try link(data + "/service-accounts", to: target)
            let finished = try await PushgateProgram.run(["init", "--data-directory", data])
            #expect(try names(target) == [])
            #expect(finished.exitCode == 1, "\(finished.errors)")
            #expect(finished.errors.contains(data + "/service-accounts") && finished.errors.contains("link"))
        }
    }

    @Test("A data directory that is another user's link is refused", isRoot)
    func directoryItself() async throws {
        try await withDirectories { data, target in
            try link(data + "/data", to: target)
            let finished = try await PushgateProgram.run(["init", "--data-directory", data + "/data"])
            #expect(try names(target) == [])
            #expect(finished.exitCode == 1 && finished.errors.contains("link"), "\(finished.errors)")
        }
    }

    @Test("serve in another user's data directory refuses a FIFO and a third user's file", isRoot)
    func otherFiles() async throws {
        try await withDirectories { data, _ in
            try SpecialFile.makeFIFO(data + "/admin-token")
            let finished = try await serve(data)
            #expect(finished.exitCode == 1 && finished.errors.contains("\(data)/admin-token"), "\(finished.errors)")
            #expect(unlink(data + "/admin-token") == 0)
            try "0123456789abcdef\n".write(toFile: data + "/admin-token", atomically: false, encoding: .utf8)
            try SpecialFile.giveAway(data + "/admin-token", to: 65_533)
            let second = try await serve(data)
            #expect(second.exitCode == 1 && second.errors.contains("\(data)/admin-token"), "\(second.errors)")
        }
    }
}
