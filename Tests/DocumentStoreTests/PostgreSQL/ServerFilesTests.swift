import DocumentStore
import Logging
import PostgreSQLStore
import TestBasics
import Testing

@Suite("PostgreSQL: files", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct ServerFilesTests {
    private func withEngine(_ body: (PostgreSQLEngine) async throws -> Void) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(url: url, connections: 2)
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
            try await body(engine)
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    @Test("A file has its bytes, in any range, whatever the sizes of its pieces", arguments: [0, 1, 262_144, 700_001])
    func ranges(size: Int) async throws {
        try await withEngine { engine in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 3 ^ $0) }
            let file = ServerFile(storage: "photos", folder: "task", name: "1")
            #expect(try await engine.contents(of: file, 0..<10) == nil)
            #expect(try await engine.size(of: file) == nil)
            // A larger file of the same name leaves nothing.
            try await engine.write([UInt8](repeating: 7, count: 900_000), to: file)
            try await engine.write(bytes, to: file)
            #expect(try await engine.size(of: file) == size)
            #expect(try await engine.contents(of: file, 0..<1_000_000) == bytes)
            for start in [0, 1, 65_536, 262_143, 262_144, 524_287, 700_000, 2_000_000] {
                for length in [0, 1, 65_536, 300_000] {
                    let range = start..<(start + length)
                    let expected = start < size ? Array(bytes[start..<min(start + length, size)]) : []
                    #expect(try await engine.contents(of: file, range) == expected, "\(range)")
                }
            }
        }
    }

    @Test("Folders are listed and removed, each with its files alone")
    func folders() async throws {
        try await withEngine { engine in
            for (storage, folder, name) in [("a", "x", "1"), ("a", "x", "2"), ("a", "y", "1"), ("b", "x", "1")] {
                try await engine.write([1, 2, 3], to: ServerFile(storage: storage, folder: folder, name: name))
            }
            #expect(try await engine.folders(of: "a") == ["x", "y"])
            let files = try await engine.files(in: "x", of: "a")
            #expect(files.map(\.name) == ["1", "2"] && files.allSatisfy { $0.age < .seconds(60) })
            try await engine.remove(ServerFile(storage: "a", folder: "x", name: "1"))
            try await engine.remove(ServerFile(storage: "a", folder: "x", name: "none"))
            #expect(try await engine.files(in: "x", of: "a").map(\.name) == ["2"])
            try await engine.removeFolder("x", of: "a")
            #expect(try await engine.folders(of: "a") == ["y"])
            #expect(try await engine.folders(of: "b") == ["x"])
        }
    }
}
