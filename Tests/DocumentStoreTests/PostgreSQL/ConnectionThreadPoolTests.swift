import DocumentStore
import Foundation
import TestBasics
import Testing

@testable import PostgreSQLStore

@Suite("PostgreSQL: the pool of connections", .timeLimit(.minutes(10)))
struct ConnectionThreadPoolTests {
    @Test("All reads that wait for a silent server fail as soon as it is given up, and not a few at a time")
    func silence() async throws {
        let (descriptor, port) = try loopbackSocket()
        defer { close(descriptor) }
        try #require(listen(descriptor, 8) == 0)
        let url = "postgres://tester@127.0.0.1:\(port)/test?connect_timeout=2"
        let pool = ConnectionThreadPool(PostgreSQLStoreConfiguration(url: url, connections: 1))
        defer { pool.close() }
        await withTaskGroup(of: Void.self) { group in
            // Sixteen at a time would take two minutes.
            for number in 0..<1_000 {
                group.addTask {
                    await expectError(.unavailable) {
                        if number.isMultiple(of: 2) {
                            _ = try await pool.rows(of: Call("SELECT 1"))
                        } else {
                            _ = try await pool.answer(to: SharedCall(sql: "SELECT 1", common: [], lists: []))
                        }
                    }
                }
            }
        }
    }
}
