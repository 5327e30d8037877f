import DocumentStore
import Foundation
import Instance
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Data of builds before 0.1.0", .timeLimit(.minutes(10)))
struct EarlierFormTests {
    private let advice = "start a build of commit \(EarlierForm.lastConversion) on this data once"

    @Test(
        "A gateway refuses tables of such a build with the commit that converts them, and makes no backup",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func tables() async throws {
        try await withDataDirectory { directory in
            try await withGateway(in: directory) { _ in }
            let path = DataDirectory(existing: directory).database.path
            try SQLiteEngine.run("DELETE FROM grdb_migrations WHERE identifier LIKE '6 %'", onFile: path)
            let text = try await refusal(of: directory)
            #expect(text.contains("the file has tables of a build before 0.1.0"))
            #expect(text.contains(advice))
            #expect((try? FileManager.default.contentsOfDirectory(atPath: directory + "-restored/backups")) ?? [] == [])
        }
    }

    @Test("A gateway refuses an outbox with chunks of such a build, with the commit that converts them")
    func chunks() async throws {
        try await withDataDirectory { directory in
            try await withGateway(in: directory) { gateway in
                let chunk = try DocumentPath("messages/m/chunks/0")
                _ = try await gateway.gateway.store.commit([.set(chunk, ["attempts": .integer(0)])])
            }
            let text = try await refusal(of: directory)
            #expect(text.contains("the outbox has chunks of a build before 0.1.0"))
            #expect(text.contains(advice))
        }
    }

    /// Returns the text with which a gateway refuses a directory; nothing if it starts.
    private func refusal(of directory: String) async throws -> String {
        // A process holds its data directory as long as it lives, so the second gateway gets a copy.
        let restored = directory + "-restored"
        try FileManager.default.copyItem(atPath: directory, toPath: restored)
        let refused = await #expect(throws: GatewayError.self) { try await withGateway(in: restored) { _ in } }
        return refused?.description ?? ""
    }
}
