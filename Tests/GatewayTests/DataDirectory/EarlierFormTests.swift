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
            let path = DataDirectory(existing: directory).databasePath
            try SQLiteEngine.run("DELETE FROM grdb_migrations WHERE identifier LIKE '6 %'", onFile: path)
            let refused = await #expect(throws: GatewayError.self) { try await withGateway(in: directory) { _ in } }
            #expect(refused?.description.contains("the file has tables of a build before 0.1.0") == true)
            #expect(refused?.description.contains(advice) == true)
            #expect((try? FileManager.default.contentsOfDirectory(atPath: directory + "/backups")) ?? [] == [])
        }
    }

    @Test("A gateway refuses an outbox with chunks of such a build, with the commit that converts them")
    func chunks() async throws {
        try await withDataDirectory { directory in
            try await withGateway(in: directory) { gateway in
                let chunk = try DocumentPath("messages/m/chunks/0")
                _ = try await gateway.gateway.store.commit([.set(chunk, ["attempts": .integer(0)])])
            }
            let refused = await #expect(throws: GatewayError.self) { try await withGateway(in: directory) { _ in } }
            #expect(refused?.description.contains("the outbox has chunks of a build before 0.1.0") == true)
            #expect(refused?.description.contains(advice) == true)
        }
    }
}
