import DocumentStore
import Logging
import Metrics
import ServiceLifecycle
import Signals

/// A service that runs work for documents at the time stored in them. A document stays due, even across restarts,
/// until its work is committed.
final class DueDocuments: Service {
    private let name: String
    private let query: Query
    private let field: String
    private let store: any DocumentStore
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let work: @Sendable (Document) async throws -> Void
    private let loop: WorkLoop
    /// The longest sleep. A clock that was set forward, or a document that another gateway has written, is noticed
    /// after at most this time.
    private let longestSleep: Duration

    /// The delay before failed work is retried.
    private static let retryDelay = Duration.seconds(5)
    private static let batch = 100

    /// - Parameters:
    ///   - name: The name in logs and metrics, such as `runs-escalation`.
    ///   - collection: The collection of the documents; a large one needs an index on the field.
    ///   - field: The timestamp at which a document becomes due; a document without it never does.
    ///   - isShared: `true` if other gateways may write documents of the collection, of which ``look()`` does not tell.
    ///   - work: The work for a due document. It must advance or remove the timestamp in the same commit as its
    ///     effects.
    init(
        _ name: String, in collection: CollectionPath, by field: String, store: any DocumentStore,
        isShared: Bool = false, clock: any Clock<Duration>, now: @escaping @Sendable () -> Timestamp, logger: Logger,
        work: @escaping @Sendable (Document) async throws -> Void
    ) {
        self.name = name
        self.field = field
        // The filter only selects the index; documents whose field is not a timestamp are skipped later.
        query = Query.collection(collection).where(FieldPath(field), .greaterThan, .timestamp(.distantPast))
            .ordered(by: FieldPath(field)).ordered(by: .documentName).limited(to: Self.batch)
        self.store = store
        self.now = now
        self.logger = logger
        self.work = work
        longestSleep = isShared ? .seconds(1) : .seconds(30)
        loop = WorkLoop(clock: clock)
    }

    /// Signals that a document is due earlier than expected.
    func look() { loop.notify() }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var failures = Failures()
            await self.loop.run { .untilWork(atMost: await self.turn(&failures)) }
        }
    }

    /// Processes all due documents once, page by page. Any number of failures does not delay the others.
    ///
    /// - Returns: The time until the next check. Processed documents may be due again at once.
    private func turn(_ failures: inout Failures) async -> Duration {
        var (pause, query) = (longestSleep, query)
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

    /// - Returns: The time until the document needs another check, if it does not change.
    private func take(_ document: Document, _ failures: inout Failures) async -> Duration {
        if let wait = failures.wait(of: document, at: now()) { return wait }
        if await process(document) { return .zero }
        failures.note(document, until: now().adding(Self.retryDelay))
        return Self.retryDelay
    }

    private func process(_ document: Document) async -> Bool {
        do {
            try await work(document)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Documents whose work failed. Each one is skipped for a while, unless it changes.
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

        /// Discards expired entries, and those that end too late because the clock was set back.
        mutating func forget(at now: Timestamp) {
            ends = ends.filter { $0.value > now && $0.value - now <= DueDocuments.retryDelay }
        }

        mutating func note(_ document: Document, until end: Timestamp) { ends[State(document)] = end }

        /// Returns the remaining delay, or `nil` if the document can be tried.
        func wait(of document: Document, at now: Timestamp) -> Duration? {
            ends[State(document)].flatMap { $0 > now ? $0 - now : nil }
        }
    }

    private func fail(_ error: any Error) {
        guard !Task.isCancelled else { return }
        Counter(label: "pushgate_job_failures_total", dimensions: [("job", name)]).increment()
        logger.error("failed to run a scheduled job", metadata: ["job": "\(name)", "error": "\(error)"])
    }
}
