import Foundation
import Testing

@testable import Pushgate

@Suite("Replacing a file")
struct AtomicFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "atomic-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    @Test("keeps the mode, and leaves nothing else behind", arguments: [0o600, 0o640, 0o644] as [mode_t])
    func keepsMode(mode: mode_t) throws {
        let path = try make("file", "old", mode)
        try AtomicFile(path).replace(with: Array("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try status(of: path).st_mode & 0o7777 == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }

    @Test("keeps the owner", .enabled(if: getuid() == 0, "only root may give files away"))
    func keepsOwner() throws {
        let path = try make("file", "old", 0o640)
        #expect(chown(path, 12_345, 54_321) == 0)
        try AtomicFile(path).replace(with: Array("new".utf8))
        let status = try status(of: path)
        #expect(status.st_uid == 12_345 && status.st_gid == 54_321 && status.st_mode & 0o7777 == 0o640)
    }

    @Test("is a new file in the old one's place: who has the old one open keeps reading the old one")
    func isAtomic() throws {
        let path = try make("file", "old", 0o600)
        let reader = try #require(FileHandle(forReadingAtPath: path))
        let before = try status(of: path).st_ino
        try AtomicFile(path).replace(with: Array("new".utf8))
        #expect(try status(of: path).st_ino != before)
        #expect(try reader.readToEnd() == Data("old".utf8))
    }

    @Test("goes through a symbolic link, which stays one")
    func followsLinks() throws {
        let path = try make("file", "old", 0o600)
        let link = directory.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try AtomicFile(link).replace(with: Array("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test("makes a file that is not there, for its owner only")
    func makesFile() throws {
        let path = directory.appending(path: "new").path
        #expect(try AtomicFile(path).read() == nil)
        try AtomicFile(path).replace(with: Array("new".utf8))
        #expect(try status(of: path).st_mode & 0o7777 == 0o600)
    }

    @Test("says what is wrong when it cannot")
    func explains() {
        let path = directory.appending(path: "missing/file").path
        let error = #expect(throws: CommandError.self) { try AtomicFile(path).replace(with: []) }
        #expect(error?.description.contains("No such file or directory") == true)
    }

    private func make(_ name: String, _ text: String, _ mode: mode_t) throws -> String {
        let path = directory.appending(path: name).path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, mode) == 0)
        return path
    }

    private func status(of path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
    }
}
