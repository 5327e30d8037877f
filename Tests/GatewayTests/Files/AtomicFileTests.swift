import Foundation
import Testing

@testable import Gateway

@Suite("Replacing a file")
struct AtomicFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "atomic-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// As a file of somebody else's is replaced.
    private func replace(_ file: AtomicFile) throws(GatewayError) {
        try file.replace(with: Array("new".utf8), access: FileAccess(of: file.path) ?? .own)
    }

    @Test("keeps the mode, and leaves nothing else behind", arguments: [0o600, 0o640, 0o644] as [mode_t])
    func keepsMode(mode: mode_t) throws {
        let path = try make("file", "old", mode)
        try replace(AtomicFile(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try status(of: path).st_mode & 0o7777 == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }

    @Test("keeps the owner", .enabled(if: getuid() == 0, "only root may give files away"))
    func keepsOwner() throws {
        let path = try make("file", "old", 0o640)
        #expect(chown(path, 12_345, 54_321) == 0)
        try replace(AtomicFile(path))
        let status = try status(of: path)
        #expect(status.st_uid == 12_345 && status.st_gid == 54_321 && status.st_mode & 0o7777 == 0o640)
    }

    @Test("is a new file in the old one's place: who has the old one open keeps reading the old one")
    func isAtomic() throws {
        let path = try make("file", "old", 0o600)
        let reader = try #require(FileHandle(forReadingAtPath: path))
        let before = try status(of: path).st_ino
        try replace(AtomicFile(path))
        #expect(try status(of: path).st_ino != before)
        #expect(try reader.readToEnd() == Data("old".utf8))
    }

    @Test("goes through a symbolic link, which stays one")
    func followsLinks() throws {
        let path = try make("file", "old", 0o600)
        let link = directory.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try replace(AtomicFile(resolving: link))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test("makes a file that is not there, for its owner only")
    func makesFile() throws {
        let path = directory.appending(path: "new").path
        #expect(try AtomicFile(path).contents() == nil)
        try replace(AtomicFile(path))
        #expect(try status(of: path).st_mode & 0o7777 == 0o600)
    }

    @Test("says what is wrong when it cannot")
    func explains() {
        let path = directory.appending(path: "missing/file").path
        let error = #expect(throws: GatewayError.self) { try replace(AtomicFile(path)) }
        #expect(error?.description == "cannot write \(path): No such file or directory.")
    }

    @Test("tells one that is not there from one that cannot be read")
    func unreadable() throws {
        #expect(try AtomicFile(directory.appending(path: "missing").path).contents() == nil)
        let error = #expect(throws: GatewayError.self) { try AtomicFile(directory.path).contents() }
        #expect(error?.description == "cannot read \(directory.path): Is a directory.")
    }

    #if os(Linux)
        @Test("asks whether the disk is full only when it is")
        func fullDisk() throws {
            let full = try OpenFile("/dev/full", O_WRONLY)
            let error = #expect(throws: SystemError.self) { try full.append([1]) }
            let words = try GatewayError(cannot: "write", "x", #require(error)).description
            #expect(words == "cannot write x: No space left on device. Is the disk full?")
        }
    #endif

    @Test("belongs to whose directory it is in when root makes it", .enabled(if: getuid() == 0, "needs root"))
    func givenAway() throws {
        #expect(chown(directory.path, 12_345, 54_321) == 0)
        let path = directory.appending(path: "new").path
        try AtomicFile(path).replace(with: [], access: FileAccess(in: directory.path, mode: 0o640))
        let status = try status(of: path)
        #expect(status.st_uid == 12_345 && status.st_gid == 54_321 && status.st_mode & 0o7777 == 0o640)
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
