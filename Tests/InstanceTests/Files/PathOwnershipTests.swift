import Foundation
import TestBasics
import Testing

@testable import Instance

@Suite("Ownership of paths", .timeLimit(.minutes(10)))
struct PathOwnershipTests {
    private static let isRoot: ConditionTrait = .enabled(if: SpecialFile.canChangeOwners, "only root gives files away")

    private func withDirectory(_ body: (_ parent: String, _ path: String) throws -> Void) async throws {
        try await withTemporaryDirectory { parent in
            let path = parent + "/data"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(chmod(parent, 0o755) == 0 && chmod(path, 0o755) == 0)
            try body(parent, path)
        }
    }

    @Test("A directory of this user is trusted, in a sticky directory too")
    func own() async throws {
        try await withDirectory { parent, path in
            #expect(PathOwnership.doubt(about: path) == nil)
            #expect(PathOwnership.doubt(about: path + "/../data/.") == nil)
            try FileManager.default.createSymbolicLink(atPath: parent + "/link", withDestinationPath: path)
            #expect(PathOwnership.doubt(about: parent + "/link") == nil)
            // In a sticky directory users cannot replace the files of others.
            #expect(chmod(parent, 0o1777) == 0)
            #expect(PathOwnership.doubt(about: path) == nil)
        }
    }

    @Test("A directory that other users may write is not trusted", arguments: [0o777, 0o775, 0o757, 0o1777])
    func mode(mode: Int) async throws {
        try await withDirectory { _, path in
            #expect(chmod(path, mode_t(mode)) == 0)
            let doubt = PathOwnership.doubt(about: path)
            #expect(doubt == "other users can write to \(path) (mode 0\(String(mode, radix: 8)))")
        }
    }

    @Test("A directory whose parent other users may write or own is not trusted", isRoot)
    func parents() async throws {
        try await withDirectory { parent, path in
            #expect(chmod(parent, 0o777) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("other users can write (mode 0777)") == true)
            // On most systems a user's own group has no other member.
            #expect(chmod(parent, 0o775) == 0)
            #expect(PathOwnership.doubt(about: path) == nil)
            #expect(chown(parent, 0, 12_345) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("other users can write (mode 0775)") == true)
            #expect(chmod(parent, 0o755) == 0 && chown(parent, 1_001, 0) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("\(parent), which belongs to user 1001") == true)
        }
    }

    @Test("A path through another user's symbolic link is not trusted", isRoot)
    func links() async throws {
        try await withDirectory { parent, path in
            let link = parent + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(lchown(link, 1_001, 0) == 0)
            #expect(PathOwnership.doubt(about: link) == "\(link) is a symbolic link of user 1001")
            #expect(PathOwnership.doubt(about: link + "/.") == "\(link) is a symbolic link of user 1001")
            #expect(PathOwnership.doubtfulLink(on: path) == nil)
        }
    }
}
