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
            var failures = Failures()
            while !Task.isCancelled {
                self.hasNews.withLock { $0 = false }
                let pause = await self.turn(&failures)
                await self.news.wait(atMost: pause, clock: self.clock) { self.hasNews.withLock { $0 } }
            }
        }
    }

    /// All that is due, once, page by page: what fails holds up no others, however much it is.
    ///
    /// - Returns: how long there is nothing to do. What has been done may be due again at once.
    private func turn(_ failures: inout Failures) async -> Duration {
        var (pause, query) = (Self.longestSleep, query)
        failures.forget(at: now())
        do {
            while !Task.isCancelled {
                let page = try await store.documents(matching: query)
                for document in page {
                    guard let due = document[field]?.timestamp else { continue }
                    guard due <= now() else { return min(pause, due - now()) }
                    pause = min(pause, await take(document, &failures))
                }
                guard page.count == Self.batch, let last = page.last, let due = last[field] else { break }
                query.start = Cursor([due, .reference(last.path.name(in: store.database))], isAfter: true)
            }
            return pause
        } catch {
            fail(error)
            return Self.retryDelay
        }
    }

    /// - Returns: how long there is nothing to do with the document as it is.
    private func take(_ document: Document, _ failures: inout Failures) async -> Duration {
        if let wait = failures.wait(of: document, at: now()) { return wait }
        if await isDone(document) { return .zero }
        failures.note(document, until: now().adding(Self.retryDelay))
        return Self.retryDelay
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

    /// What has failed is left alone for a while, unless it is changed meanwhile.
    private struct Failures {
        private struct State: Hashable {
            let path: DocumentPath
            let updateTime: Timestamp

            init(_ document: Document) {
                path = document.path
                updateTime = document.updateTime
            }
        }

        private var ends: [State: Timestamp] = [:]

        /// An end that is too far away is of a clock that was set back.
        mutating func forget(at now: Timestamp) {
            ends = ends.filter { $0.value > now && $0.value - now <= DueDocuments.retryDelay }
        }

        mutating func note(_ document: Document, until end: Timestamp) { ends[State(document)] = end }

        /// nil when it can be tried.
        func wait(of document: Document, at now: Timestamp) -> Duration? {
            ends[State(document)].flatMap { $0 > now ? $0 - now : nil }
        }
    }

    private func fail(_ error: any Error) {
        guard !Task.isCancelled else { return }
        Counter(label: "pushgate_job_failures_total", dimensions: [("job", name)]).increment()
        logger.error("scheduled job failed", metadata: ["job": "\(name)", "error": "\(error)"])
    }
}
