import Foundation
import TestBasics
import Testing

@testable import Instance

@Suite("Data directories of starts that fail", .timeLimit(.minutes(10)))
struct NewDirectoryTests {
    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test("A directory that a start has made is removed with the files of the start")
    func removed() async throws {
        try await withTemporaryDirectory { parent in
            let (directory, new) = try NewDirectory.creating(parent + "/data")
            try directory.lock.take()
            _ = try directory.adminToken.readOrCreate()
            _ = try directory.gatewayKey.readOrCreate()
            try #require(new).remove()
            #expect(names(parent) == [])
        }
    }

    @Test("A directory with any other file stays as it is")
    func kept() async throws {
        try await withTemporaryDirectory { parent in
            let (directory, new) = try NewDirectory.creating(parent + "/data")
            try directory.lock.take()
            _ = try directory.adminToken.readOrCreate()
            try directory.importProgress.note(0, of: "digest")
            try #require(new).remove()
            #expect(names(parent + "/data") == ["admin-token", "import-progress", "lock"])
        }
    }

    @Test("A directory that was there is nobody's to remove")
    func existing() async throws {
        try await withTemporaryDirectory { parent in
            let (_, new) = try NewDirectory.creating(parent)
            #expect(new == nil)
        }
    }
}
