import Foundation
import TestBasics
import Testing

@testable import Instance

@Suite("Data directories of starts that fail", .timeLimit(.minutes(10)))
struct NewDirectoryTests {
    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Makes the key of an account at a certificate authority.
    ///
    /// - Returns: The authority's folder.
    @discardableResult
    private func makeAccount(in directory: DataDirectory) throws -> DataFolder {
        let folder = directory.files.folder("acme").folder("ca.example.com")
        try folder.make()
        try folder.write("key", to: "account.key")
        return folder
    }

    @Test("A directory that a start has made is removed with the files of the start")
    func removed() async throws {
        try await withTemporaryDirectory { parent in
            let (directory, new) = try NewDirectory.creating(parent + "/data")
            try directory.lock.take()
            _ = try directory.adminToken.readOrCreate()
            _ = try directory.gatewayKey.readOrCreate()
            try directory.member.note("member")
            try makeAccount(in: directory)
            try #require(new).remove()
            #expect(names(parent) == [])
        }
    }

    @Test("A directory with a certificate that was obtained stays as it is")
    func certificate() async throws {
        try await withTemporaryDirectory { parent in
            let (directory, new) = try NewDirectory.creating(parent + "/data")
            try directory.lock.take()
            try makeAccount(in: directory).write("certificate", to: "push.example.com.pem")
            try #require(new).remove()
            #expect(names(parent + "/data") == ["acme", "lock"])
            #expect(names(parent + "/data/acme/ca.example.com") == ["account.key", "push.example.com.pem"])
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
