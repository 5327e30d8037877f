import Foundation
import Functions
import TestBasics
import Testing

@testable import Instance

@Suite("Folders of the data directory", .timeLimit(.minutes(10)))
struct FolderTests {
    private static let isRoot: ConditionTrait = .enabled(if: SpecialFile.canChangeOwners, "only root gives files away")

    /// - Parameter body: Receives the data directory and a folder outside it.
    private func withDirectories(_ body: (DataDirectory, _ elsewhere: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { parent in
            let elsewhere = parent + "/elsewhere"
            try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
            try await body(try DataDirectory(creating: parent + "/data"), elsewhere)
        }
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func names(_ path: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    @Test(
        "A photo folder that is a symbolic link is neither written, read, listed nor cleared",
        arguments: [true, false])
    func photos(isOuter: Bool) async throws {
        try await withDirectories { directory, elsewhere in
            let files = FolderFiles("photos", in: directory)
            try FileManager.default.createDirectory(atPath: elsewhere + "/one", withIntermediateDirectories: false)
            try Data([1]).write(to: URL(fileURLWithPath: elsewhere + "/one/a.jpg"))
            if isOuter {
                try link(directory.path + "/photos", to: elsewhere)
            } else {
                try await files.write([1], to: "b.jpg", in: "two")
                try link(directory.path + "/photos/one", to: elsewhere + "/one")
            }
            let errors = [
                await #expect(throws: FileStorageError.self) { try await files.write([2], to: "a.jpg", in: "one") },
                await #expect(throws: FileStorageError.self) { try await files.size(of: "a.jpg", in: "one") },
                await #expect(throws: FileStorageError.self) { try await files.files(in: "one") },
                await #expect(throws: FileStorageError.self) { try await files.remove("a.jpg", in: "one") },
                await #expect(throws: FileStorageError.self) { try await files.removeFolder("one") },
            ]
            for error in errors { #expect(error?.description.contains("symbolic link") == true) }
            #expect(try names(elsewhere + "/one") == ["a.jpg"])
            #expect(FileManager.default.contents(atPath: elsewhere + "/one/a.jpg") == Data([1]))
        }
    }

    @Test("A folder is removed with its contents, without the targets of its links")
    func removal() async throws {
        try await withDirectories { directory, elsewhere in
            let files = FolderFiles("photos", in: directory)
            try await files.write([1], to: "a.jpg", in: "one")
            try Data([1]).write(to: URL(fileURLWithPath: elsewhere + "/file"))
            let folder = directory.path + "/photos/one"
            try link(folder + "/link", to: elsewhere)
            try FileManager.default.createDirectory(atPath: folder + "/x/y", withIntermediateDirectories: true)
            try await files.removeFolder("one")
            #expect(try names(directory.path + "/photos") == [])
            #expect(try names(elsewhere) == ["file"])
        }
    }

    @Test("A file of the data directory is read if it belongs to the directory's owner, root or this user", isRoot)
    func owners() async throws {
        try await withDirectories { directory, _ in
            try directory.files.write("x", to: "file")
            let path = directory.path + "/file"
            for (owner, directoryOwner) in [(0, 0), (0, 1_001), (1_001, 1_001)] as [(uid_t, uid_t)] {
                #expect(chown(path, owner, 0) == 0 && chown(directory.path, directoryOwner, 0) == 0)
                #expect(try directory.files.text(of: "file") == "x")
            }
            #expect(chown(path, 1_002, 0) == 0)
            let error = #expect(throws: GatewayError.self) { try directory.files.text(of: "file") }
            #expect(error?.description.hasPrefix("cannot read \(path): it belongs to user 1002") == true)
        }
    }

    @Test("A FIFO in the place of a file is refused without a read")
    func kinds() async throws {
        try await withDirectories { directory, _ in
            try SpecialFile.makeFIFO(directory.path + "/fifo")
            let error = #expect(throws: GatewayError.self) { try directory.files.text(of: "fifo") }
            #expect(error?.description == "cannot read \(directory.path)/fifo: it is a FIFO, not a regular file.")
        }
    }
}
