import Foundation
import Functions
import TestBasics
import Testing

@testable import Instance

@Suite("Files of functions", .timeLimit(.minutes(10)))
struct FolderFilesTests {
    private func withFiles(_ body: (FolderFiles, String) async throws -> Void) async throws {
        try await withDataDirectory { path in
            try await body(FolderFiles("photos", in: try DataDirectory(creating: path)), path + "/photos")
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A file is written as a whole, read, listed with its age and removed, with access for its owner only")
    func life() async throws {
        try await withFiles { files, root in
            #expect(try await files.folders() == [])
            #expect(try await files.files(in: "one") == [])
            #expect(try await files.contents(of: "a.jpg", in: "one", 0..<9) == nil)
            try await files.remove("a.jpg", in: "one")
            try await files.removeFolder("one")
            try await files.write([1, 2, 3], to: "a.jpg", in: "one")
            try await files.write([4], to: "a.jpg", in: "one")
            try await files.write([5], to: "b.jpg", in: "two")
            #expect(try await files.contents(of: "a.jpg", in: "one", 0..<9) == [4])
            #expect(try await files.folders() == ["one", "two"])
            let listed = try await files.files(in: "one")
            #expect(listed.map(\.name) == ["a.jpg"] && listed.allSatisfy { $0.age < .seconds(3_600) })
            #expect(try mode(root) == 0o700 && mode(root + "/one") == 0o700 && mode(root + "/one/a.jpg") == 0o600)
            try await files.remove("a.jpg", in: "one")
            #expect(try await files.contents(of: "a.jpg", in: "one", 0..<9) == nil)
            try await files.removeFolder("two")
            #expect(try await files.folders() == ["one"])
        }
    }

    @Test("A range that exceeds a file is read up to the file's end")
    func pieces() async throws {
        try await withFiles { files, _ in
            #expect(try await files.contents(of: "a.jpg", in: "one", 0..<1) == nil)
            #expect(try await files.size(of: "a.jpg", in: "one") == nil)
            try await files.write([1, 2, 3, 4, 5], to: "a.jpg", in: "one")
            #expect(try await files.size(of: "a.jpg", in: "one") == 5)
            #expect(try await files.contents(of: "a.jpg", in: "one", 1..<3) == [2, 3])
            #expect(try await files.contents(of: "a.jpg", in: "one", 3..<9) == [4, 5])
            #expect(try await files.contents(of: "a.jpg", in: "one", 5..<9) == [])
            await #expect(throws: FileStorageError.self) { try await files.contents(of: "..", in: "one", 0..<1) }
            await #expect(throws: FileStorageError.self) { try await files.size(of: "..", in: "one") }
        }
    }

    @Test(
        "A file or folder name that leads elsewhere is refused",
        arguments: ["..", ".", "", "a/b", "/etc", ".hidden", "a\0b", "ü", "a b", String(repeating: "a", count: 129)])
    func names(name: String) async throws {
        try await withFiles { files, _ in
            await #expect(throws: FileStorageError.self) { try await files.write([1], to: name, in: "one") }
            await #expect(throws: FileStorageError.self) { try await files.write([1], to: "one", in: name) }
            await #expect(throws: FileStorageError.self) { try await files.contents(of: name, in: "one", 0..<9) }
            await #expect(throws: FileStorageError.self) { try await files.remove(name, in: "one") }
            await #expect(throws: FileStorageError.self) { try await files.removeFolder(name) }
            let folders = try await files.folders()
            #expect(folders == [])
        }
    }

    @Test("A file that cannot be written throws the reason, and leaves no file")
    func failure() async throws {
        try await withFiles { files, root in
            try await files.write([1], to: "a.jpg", in: "one")
            try FileManager.default.createDirectory(atPath: root + "/one/b.jpg/c", withIntermediateDirectories: true)
            let error = await #expect(throws: FileStorageError.self) {
                try await files.write([1], to: "b.jpg", in: "one")
            }
            #expect(error?.description == "cannot write a file: Is a directory.")
            #expect(try await files.files(in: "one").map(\.name) == ["a.jpg", "b.jpg"])
        }
    }

    @Test("The error of a file whose folder is a file does not contain the path")
    func secrecy() async throws {
        try await withFiles { files, root in
            try await files.write([1], to: "a.jpg", in: "one")
            #expect(FileManager.default.createFile(atPath: root + "/secret", contents: nil))
            let errors = [
                await #expect(throws: FileStorageError.self) { try await files.write([1], to: "b.jpg", in: "secret") },
                await #expect(throws: FileStorageError.self) {
                    _ = try await files.contents(of: "b", in: "secret", 0..<9)
                },
                await #expect(throws: FileStorageError.self) { try await files.remove("b", in: "secret") },
                await #expect(throws: FileStorageError.self) { _ = try await files.files(in: "secret") },
            ]
            for (error, operation) in zip(errors, ["write", "read", "remove", "list"]) {
                #expect(error?.description == "cannot \(operation) a file: Not a directory.")
            }
        }
    }
}
