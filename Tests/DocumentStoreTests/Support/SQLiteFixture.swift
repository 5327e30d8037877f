import Foundation
import Logging

@testable import DocumentStore

/// A SQLite engine on a file in a directory of its own.
struct SQLiteFixture {
    let directory: TemporaryDirectory
    let clock = TestClock()
    static let file = "documents.sqlite"

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.file(Self.file) }

    func open(
        fieldIndexes: [FieldIndex] = [], maximumGroupSize: Int = 256, logger: Logger = Logger(label: "test")
    ) throws -> SQLiteEngine {
        let clock = clock
        return try SQLiteEngine(
            SQLiteStoreConfiguration(
                path: path, fieldIndexes: fieldIndexes, maximumGroupSize: maximumGroupSize, clock: { clock.now }),
            logger: logger)
    }
}

extension SQLiteEngine {
    /// Runs the commits while the writer is held, and lets it go when all of them wait; their outcomes, in order.
    func commitTogether(_ commits: [[Write]]) async throws -> [Result<CommitResult, any Error>] {
        let store = store(for: .gateway)
        let gate = DispatchSemaphore(value: 0)
        onWriter { gate.wait() }
        return await withTaskGroup(of: (Int, Result<CommitResult, any Error>).self) { group in
            for (index, writes) in commits.enumerated() {
                group.addTask {
                    do { return (index, .success(try await store.commit(writes))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while committer.queue.count < commits.count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
