import Foundation
import PushgateClient
import TestBasics
import Testing

@Suite("File with the keys for a relay")
struct RelayFileStorageTests {
    private func mode(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test("The file is its owner's alone, is replaced as a whole, and its folder is created")
    func file() async throws {
        try await withTemporaryDirectory { directory in
            let file = URL(filePath: directory).appending(path: "a/b/relay")
            let storage = RelayFileStorage(file: file)
            #expect(try storage.load() == nil)
            for bytes in [Data("first, and longer".utf8), Data("second".utf8)] {
                try storage.save(bytes)
                #expect(try RelayFileStorage(file: file).load() == bytes)
                #expect(try mode(of: file) == 0o600)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            #expect(names == ["relay"])
        }
    }

    @Test("A file that cannot be read is an error, not a new installation")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let storage = RelayFileStorage(file: URL(filePath: directory))
            #expect(throws: (any Error).self) { try storage.load() }
        }
    }
}
