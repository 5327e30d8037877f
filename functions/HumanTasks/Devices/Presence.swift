import DocumentStore
import Logging
import ServiceLifecycle
import Signals
import Synchronization

/// The times of the last calls of devices and their agents. They are kept in memory, which delays no call, and
/// written as soon as possible. At shutdown the rest is written.
///
/// `humanTaskPresence/{device}`: `lastSeenAt`, `lastMcpCallAt`?
final class Presence: Service {
    struct Mark: Hashable, Sendable {
        /// The last call of the device or its agents.
        var seenAt: Timestamp
        /// The last call with a token; `nil` if there was none.
        var calledAt: Timestamp?

        func merged(with other: Mark?) -> Mark {
            guard let other else { return self }
            return Mark(
                seenAt: max(seenAt, other.seenAt), calledAt: [calledAt, other.calledAt].compactMap(\.self).max())
        }
    }

    private enum Field {
        static let seenAt = "lastSeenAt"
        static let calledAt = "lastMcpCallAt"
    }

    private let store: any DocumentStore
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let marks = Mutex<[String: Mark]>([:])
    private let loop: WorkLoop

    private static let longestSleep = Duration.seconds(30)
    /// The delay before a failed write is retried.
    private static let retryDelay = Duration.seconds(5)
    private static let batch = 500

    init(
        store: any DocumentStore, clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.now = now
        self.logger = logger
        loop = WorkLoop(clock: clock)
    }

    /// - Parameter isAgent: `true` if the call had the device's token.
    func note(_ device: String, isAgent: Bool) {
        let mark = Mark(seenAt: now(), calledAt: isAgent ? now() : nil)
        marks.withLock { $0[device] = mark.merged(with: $0[device]) }
        loop.notify()
    }

    /// Records an agent's call and returns after it is on the disk.
    func write(_ device: String) async throws(StoreError) {
        _ = try await store.commit([try Self.write(Mark(seenAt: now(), calledAt: now()), of: device)])
    }

    /// Returns the last calls of a device, stored or not; `nil` if there was none.
    func latest(of device: String) async throws(StoreError) -> Mark? {
        // Looked up first, because a mark is forgotten when it is stored.
        let noted = marks.withLock { $0[device] }
        let document = try await store.document(at: try HumanTasksDocuments.presence(device))
        guard let seenAt = document?[Field.seenAt]?.timestamp else { return noted }
        return Mark(seenAt: seenAt, calledAt: document?[Field.calledAt]?.timestamp).merged(with: noted)
    }

    // MARK: Writing

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.loop.run {
                await self.writeAll() ? .untilWork(atMost: Self.longestSleep) : .fixed(Self.retryDelay)
            }
        }
        _ = await writeAll()
    }

    /// - Returns: `true` if no write failed.
    private func writeAll() async -> Bool {
        while true {
            let batch = marks.withLock { Array($0.prefix(Self.batch)) }
            if batch.isEmpty { return true }
            do {
                _ = try await store.commit(batch.map { try Self.write($0.value, of: $0.key) })
            } catch {
                if !Task.isCancelled {
                    logger.warning("failed to store the devices' last calls; retrying", metadata: ["error": "\(error)"])
                }
                return false
            }
            marks.withLock { marks in
                for (device, mark) in batch where marks[device] == mark { marks[device] = nil }
            }
        }
    }

    private static func write(_ mark: Mark, of device: String) throws(StoreError) -> Write {
        var fields: Fields = [Field.seenAt: .timestamp(mark.seenAt)]
        fields[Field.calledAt] = mark.calledAt.map(Value.timestamp)
        return .merge(try HumanTasksDocuments.presence(device), fields)
    }
}
