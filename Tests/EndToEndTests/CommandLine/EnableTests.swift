import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate enable", .timeLimit(.minutes(10)))
struct EnableTests {
    private static let server = "http://127.0.0.1:9"
    private static let baseURLKey = "CODEAGENTS_PUSH_GATEWAY_BASE_URL"

    private func enable(
        _ path: String, server: String = server, _ more: String...
    ) async throws -> FinishedProcess {
        try await PushgateProgram.run(["enable", "--env-file", path, "--server", server] + more)
    }

    @Test(
        "enable refuses a path that is no regular file, and leaves it unchanged",
        arguments: ["folder", "FIFO", "device"])
    func otherKinds(kind: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            switch kind {
            case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case "FIFO": try SpecialFile.makeFIFO(path)
            default:
                // Only root may make a device, and not in every container.
                guard SpecialFile.makeDevice(path) else { return }
            }
            let before = SpecialFile.kind(of: path)
            let finished = try await enable(path)
            #expect(finished.exitCode == 1 && finished.output == "")
            let reason = kind == "folder" ? "Is a directory" : "it is a \(kind), not a regular file"
            #expect(finished.errors.contains("\(path): \(reason)"), "\(finished.errors)")
            #expect(SpecialFile.kind(of: path) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["daemon.env"])
        }
    }

    @Test("enable follows a link to a file and keeps the link, and refuses a dangling link")
    func links() async throws {
        try await withTemporaryDirectory { folder in
            let (link, target) = (folder + "/daemon.env", folder + "/target.env")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            let dangling = try await enable(link)
            #expect(dangling.exitCode == 1)
            #expect(dangling.errors.contains(link) && dangling.errors.contains("link"), "\(dangling.errors)")
            #expect(SpecialFile.kind(of: link) == S_IFLNK && SpecialFile.kind(of: target) == nil)
            try "A=1\n".write(toFile: target, atomically: false, encoding: .utf8)
            #expect(try await enable(link).exitCode == 0)
            #expect(SpecialFile.kind(of: link) == S_IFLNK)
            #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("A=1\n" + "CODEAGENTS_PUSH_"))
        }
    }

    @Test("enable warns of a file that other users can read, and of no other", arguments: [0o600, 0o640, 0o644])
    func readable(mode: Int) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, mode_t(mode)) == 0)
            let finished = try await enable(path)
            #expect(finished.exitCode == 0)
            let isSaid = finished.errors.contains("warning") && finished.errors.contains("0" + String(mode, radix: 8))
            #expect(isSaid == (mode != 0o600), "\(finished.errors)")
            // Nothing listens at the URL, so a second warning says that.
            #expect(finished.errors.split(separator: "\n").count == (mode == 0o600 ? 1 : 2))
        }
    }

    @Test("Twelve concurrent runs of enable make one secret and leave no other file", arguments: [false, true])
    func atOnce(isThere: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            if isThere { try "A=1\n".write(toFile: path, atomically: false, encoding: .utf8) }
            let keys = try await concurrently(Array(0..<12), limit: 12) { _ in
                let finished = try await enable(path, "--json")
                #expect(finished.exitCode == 0, "\(finished.errors)")
                return try JSONValue(parsing: finished.output)["server_key"]?.string
            }
            #expect(Set(keys).count == 1 && keys.first != .some(nil))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["daemon.env"])
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == (isThere ? 3 : 2))
        }
    }

    @Test(
        "enable refuses a text that is no gateway URL, and writes nothing",
        arguments: [
            "push.example.com", "ftp://push.example.com", "https://", "https://a:b@push.example.com",
            "https://push.example.com?a", "https://push.example.com#a", "https://push.example.com/a b", "",
        ])
    func badServer(server: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            let finished = try await enable(path, server: server)
            #expect(finished.exitCode == 1 && finished.output == "")
            #expect(finished.errors.contains("--server"), "\(finished.errors)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("enable warns if no gateway answers at the URL, and only then")
    func health() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            let alone = try await enable(path)
            #expect(alone.exitCode == 0 && FileManager.default.fileExists(atPath: path))
            #expect(alone.errors.hasPrefix("warning: no gateway answers at \(Self.server) "), "\(alone.errors)")
            try await withGateway { gateway in
                let there = try await enable(path, server: gateway.url)
                #expect(there.exitCode == 0 && there.errors == "")
                let beside = try await enable(path, server: gateway.url + "/prefix")
                #expect(beside.exitCode == 0)
                #expect(beside.errors.contains("/prefix/healthz is no gateway (404)"), "\(beside.errors)")
            }
        }
    }

    @Test(
        "enable keeps a secret that is too short, and warns with the variable and the file",
        arguments: ["too-short", "s", "a b"])
    func shortSecret(secret: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/daemon.env"
            let text = "CODEAGENTS_PUSH_SECRET='\(secret)'\n"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(chmod(path, 0o600) == 0)
            let finished = try await enable(path)
            #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(text))
            #expect(finished.errors.contains("CODEAGENTS_PUSH_SECRET") && finished.errors.contains(path))
            #expect(!finished.errors.contains("'\(secret)'"))
        }
    }
}
