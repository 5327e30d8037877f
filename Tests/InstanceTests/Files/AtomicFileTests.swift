import Foundation
import Testing

@testable import Instance

@Suite("Atomic replacement of a file")
struct AtomicFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "atomic-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Replaces a file and keeps its access rights.
    private func replace(_ file: AtomicFile) throws(GatewayError) {
        try file.replace(with: Array("new".utf8), access: FileAccess(of: file.path) ?? .own)
    }

    @Test(
        "A replaced file keeps its mode, and no other file is left behind",
        arguments: [0o600, 0o640, 0o644] as [mode_t])
    func keepsMode(mode: mode_t) throws {
        let path = try make("file", "old", mode)
        try replace(AtomicFile(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try status(of: path).st_mode & 0o7777 == mode)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }

    @Test("A file that root replaces keeps its owner", .enabled(if: getuid() == 0, "only root may give files away"))
    func keepsOwner() throws {
        let path = try make("file", "old", 0o640)
        #expect(chown(path, 12_345, 54_321) == 0)
        try replace(AtomicFile(path))
        let status = try status(of: path)
        #expect(status.st_uid == 12_345 && status.st_gid == 54_321 && status.st_mode & 0o7777 == 0o640)
    }

    @Test("A replaced file is a new file, and an open descriptor still reads the old contents")
    func isAtomic() throws {
        let path = try make("file", "old", 0o600)
        let reader = try #require(FileHandle(forReadingAtPath: path))
        let before = try status(of: path).st_ino
        try replace(AtomicFile(path))
        #expect(try status(of: path).st_ino != before)
        #expect(try reader.readToEnd() == Data("old".utf8))
    }

    @Test("A replacement through a symbolic link replaces the target and keeps the link")
    func followsLinks() throws {
        let path = try make("file", "old", 0o600)
        let link = directory.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try replace(AtomicFile(resolving: link))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test("A replacement of a file that does not exist creates it for its owner only")
    func makesFile() throws {
        let path = directory.appending(path: "new").path
        #expect(try AtomicFile(path).contents() == nil)
        try replace(AtomicFile(path))
        #expect(try status(of: path).st_mode & 0o7777 == 0o600)
    }

    @Test("A file that cannot be replaced throws an error with its path and the reason")
    func explains() {
        let path = directory.appending(path: "missing/file").path
        let error = #expect(throws: GatewayError.self) { try replace(AtomicFile(path)) }
        #expect(error?.description == "cannot write \(path): No such file or directory.")
    }

    @Test("A missing file has no contents, and one that cannot be read throws an error")
    func unreadable() throws {
        #expect(try AtomicFile(directory.appending(path: "missing").path).contents() == nil)
        let error = #expect(throws: GatewayError.self) { try AtomicFile(directory.path).contents() }
        #expect(error?.description == "cannot read \(directory.path): Is a directory.")
    }

    #if os(Linux)
        @Test("An error of a full disk asks whether the disk is full")
        func fullDisk() throws {
            let full = try OpenFile("/dev/full", O_WRONLY)
            let error = #expect(throws: SystemError.self) { try full.append([1]) }
            let words = try GatewayError(cannot: "write", "x", #require(error)).description
            #expect(words == "cannot write x: No space left on device. Is the disk full?")
        }
    #endif

    @Test("A file that root creates belongs to the owner of its directory", .enabled(if: getuid() == 0, "needs root"))
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
