internal import DocumentStore
internal import Logging
internal import Messaging
internal import Metrics
internal import ServiceLifecycle
internal import Synchronization

/// Does what is due, by documents that say when: what is due stays so across restarts, until the work has been
/// committed.
final class DueDocuments: Service {
    private let name: String
    private let query: Query
    private let field: String
    private let store: any DocumentStore
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let work: @Sendable (Document) async throws -> Void
    private let hasNews = Mutex(false)
    private let news = Bell()

    /// The longest sleep: a clock that was set forward is noticed after it.
    private static let longestSleep = Duration.seconds(30)
    /// How long to wait before what failed is tried again.
    private static let retryDelay = Duration.seconds(5)
    private static let batch = 100

    /// - Parameters:
    ///   - name: for logs and metrics, `runs-escalation`.
    ///   - collection: where the documents are; it needs an index by the field when there are many.
    ///   - field: the timestamp from which a document is due; one without it never is.
    ///   - work: what is to be done. It must move the timestamp on, or remove it, in the commit with what it has done.
    init(
        _ name: String, in collection: CollectionPath, by field: String, store: any DocumentStore,
        clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, logger: Logger,
        work: @escaping @Sendable (Document) async throws -> Void
    ) {
        self.name = name
        self.field = field
        // The filter is there for the index, and for it alone: only a timestamp says when.
        query = Query.collection(collection).where(FieldPath(field), .greaterThan, .timestamp(.distantPast))
            .ordered(by: FieldPath(field)).limited(to: Self.batch)
        self.store = store
        self.clock = clock
        self.now = now
        self.logger = logger
        self.work = work
    }

    /// To be called when a document has come to be due earlier than was known.
    func look() {
        hasNews.withLock { $0 = true }
        news.ring()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.hasNews.withLock { $0 = false }
                let pause = await self.turn()
                await self.news.wait(atMost: pause, clock: self.clock) { self.hasNews.withLock { $0 } }
            }
        }
    }

    /// - Returns: how long there is nothing to do. What has been done may be due again at once.
    private func turn() async -> Duration {
        do {
            var pause = Self.longestSleep
            for document in try await store.documents(matching: query) {
                guard let due = document[field]?.timestamp else { continue }
                guard due <= now() else { return min(pause, due - now()) }
                pause = await isDone(document) ? min(pause, .zero) : min(pause, Self.retryDelay)
            }
            return pause
        } catch {
            fail(error)
            return Self.retryDelay
        }
    }

    private func isDone(_ document: Document) async -> Bool {
        do {
            try await work(document)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func fail(_ error: any Error) {
        guard !Task.isCancelled else { return }
        Counter(label: "pushgate_job_failures_total", dimensions: [("job", name)]).increment()
        logger.error("scheduled job failed", metadata: ["job": "\(name)", "error": "\(error)"])
    }
}
