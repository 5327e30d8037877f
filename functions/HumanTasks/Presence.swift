internal import DocumentStore
internal import Logging
internal import Messaging
internal import ServiceLifecycle
internal import Synchronization

/// When devices and their agents last called. It is noted in memory, which delays no call, and written as soon as that can
/// be done; a gateway that stops writes what is left.
///
/// `humanTaskPresence/{device}`: `lastSeenAt`, `lastMcpCallAt`?
final class Presence: Service {
    struct Mark: Hashable, Sendable {
        var seenAt: Timestamp
        /// The last call with a token; nil when there was none.
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
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let marks = Mutex<[String: Mark]>([:])
    private let news = Bell()

    private static let longestSleep = Duration.seconds(30)
    /// How long to wait before what failed is tried again.
    private static let retryDelay = Duration.seconds(5)
    private static let batch = 500

    init(
        store: any DocumentStore, clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// - Parameter isAgent: whether it was a call with the device's token.
    func note(_ device: String, isAgent: Bool) {
        let mark = Mark(seenAt: now(), calledAt: isAgent ? now() : nil)
        marks.withLock { $0[device] = mark.merged(with: $0[device]) }
        news.ring()
    }

    /// As ``note(_:isAgent:)``, on the disk when it returns.
    func write(_ device: String) async throws(StoreError) {
        _ = try await store.commit([try Self.write(Mark(seenAt: now(), calledAt: now()), of: device)])
    }

    /// What is known of a device, written or not.
    ///
    /// - Parameter document: of the device, as it was read.
    func latest(of device: String, _ document: Document?) -> Mark? {
        let noted = marks.withLock { $0[device] }
        guard let seenAt = document?[Field.seenAt]?.timestamp else { return noted }
        return Mark(seenAt: seenAt, calledAt: document?[Field.calledAt]?.timestamp).merged(with: noted)
    }

    // MARK: Writing

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.news.wait(atMost: Self.longestSleep, clock: self.clock) { self.hasMarks }
                if await !self.writeAll(), !Task.isCancelled { try? await self.clock.sleep(for: Self.retryDelay) }
            }
        }
        _ = await writeAll()
    }

    private var hasMarks: Bool { marks.withLock { !$0.isEmpty } }

    /// - Returns: whether nothing failed.
    private func writeAll() async -> Bool {
        while true {
            let batch = marks.withLock { Array($0.prefix(Self.batch)) }
            if batch.isEmpty { return true }
            do {
                _ = try await store.commit(batch.map { try Self.write($0.value, of: $0.key) })
            } catch {
                if !Task.isCancelled {
                    logger.warning("when devices called is not written yet", metadata: ["error": "\(error)"])
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
