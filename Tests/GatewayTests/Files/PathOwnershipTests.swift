import Foundation
import TestSupport
import Testing

@testable import Gateway

@Suite("Whose a path is", .timeLimit(.minutes(1)))
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

    @Test("is no question of a directory of one's own, in /tmp too")
    func own() async throws {
        try await withDirectory { parent, path in
            #expect(PathOwnership.doubt(about: path) == nil)
            #expect(PathOwnership.doubt(about: path + "/../data/.") == nil)
            try FileManager.default.createSymbolicLink(atPath: parent + "/link", withDestinationPath: path)
            #expect(PathOwnership.doubt(about: parent + "/link") == nil)
            // In a sticky directory nobody may replace the files of others.
            #expect(chmod(parent, 0o1777) == 0)
            #expect(PathOwnership.doubt(about: path) == nil)
        }
    }

    @Test("is doubted when others may write to it", arguments: [0o777, 0o775, 0o757, 0o1777])
    func mode(mode: Int) async throws {
        try await withDirectory { _, path in
            #expect(chmod(path, mode_t(mode)) == 0)
            let doubt = PathOwnership.doubt(about: path)
            #expect(doubt == "other users may write to \(path) (mode 0\(String(mode, radix: 8)))")
        }
    }

    @Test("is doubted when others may put something else in its place", isRoot)
    func parents() async throws {
        try await withDirectory { parent, path in
            #expect(chmod(parent, 0o777) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("other users may write (mode 0777)") == true)
            // A group that is one's own has no other member on most systems.
            #expect(chmod(parent, 0o775) == 0)
            #expect(PathOwnership.doubt(about: path) == nil)
            #expect(chown(parent, 0, 12_345) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("other users may write (mode 0775)") == true)
            #expect(chmod(parent, 0o755) == 0 && chown(parent, 1_001, 0) == 0)
            #expect(PathOwnership.doubt(about: path)?.contains("\(parent), which belongs to user 1001") == true)
        }
    }

    @Test("is doubted when another user's link leads there", isRoot)
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
