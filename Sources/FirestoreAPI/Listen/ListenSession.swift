import DocumentStore
import FirestoreProtos

/// A Listen stream from its first request to its end.
///
/// The stream ends when the client's requests end. If they end with an error, as when the server stops, or if the store
/// is closed, it ends with that error at once, even while an answer waits for the client.
struct ListenSession: Sendable {
    /// The longest silence. Node's client gives up a stream after 120 s.
    static let beat = Duration.seconds(30)

    private let engine: any DocumentEngine
    private let redact: @Sendable (Fields) -> Fields
    private let server: UInt64
    private let clock: any Clock<Duration>

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - engine: the databases.
    ///   - redact: hides secrets in fields from callers with restricted access.
    ///   - server: a number that no other server has, for resume tokens.
    ///   - clock: measures silence.
    init(
        _ engine: any DocumentEngine, redact: @escaping @Sendable (Fields) -> Fields,
        server: UInt64, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.engine = engine
        self.redact = redact
        self.server = server
        self.clock = clock
    }

    /// Answers the requests until they end.
    func run<Requests: AsyncSequence & Sendable>(
        _ requests: Requests, as caller: FirestoreCaller, write: @escaping ListenStream.Write
    ) async throws(FirestoreStatus) where Requests.Element == Google_Firestore_V1_ListenRequest {
        let inbox = ListenInbox()
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { try await serve(inbox, caller, write) }
                group.addTask {
                    try await inbox.fill(from: requests)
                    return false
                }
                group.addTask {
                    try await inbox.announceChanges()
                    return false
                }
                group.addTask {
                    try await inbox.beat(each: Self.beat, clock)
                    return false
                }
                while let isOver = try await group.next(), !isOver {}
                group.cancelAll()
            }
        } catch {
            throw FirestoreStatus(catching: error)
        }
    }

    /// Handles events until there are no more.
    ///
    /// - Returns: `true`.
    /// - Throws: `CancellationError` in a cancelled task. A stream that the server ends must not seem complete: clients
    ///   resume after an error only.
    private func serve(
        _ inbox: ListenInbox, _ caller: FirestoreCaller, _ write: @escaping ListenStream.Write
    ) async throws -> Bool {
        var stream: ListenStream?
        while let events = await inbox.next() {
            if stream == nil, let first = events.requests.first {
                let opened = try open(first, caller, write)
                inbox.follow(opened.listener)
                stream = opened
            }
            for request in events.requests { try stream?.accept(request) }
            try await stream?.catchUp()
            if events.isBeatDue { try await stream?.beat() }
            inbox.didCatchUp()
        }
        try Task.checkCancellation()
        return true
    }

    private func open(
        _ request: Google_Firestore_V1_ListenRequest, _ caller: FirestoreCaller, _ write: @escaping ListenStream.Write
    ) throws(FirestoreStatus) -> ListenStream {
        let database = try DatabaseID(firestoreName: request.database)
        let access = try caller.access(to: database)
        let store: any DocumentStore = engine.store(for: database)
        let tokens = ResumeTokens(for: database, server: server)
        let state = ListenState(database: database, tokens: tokens, redact: access == .full ? Self.unchanged : redact)
        return ListenStream(
            store: store, listener: store.listener(), tokens: tokens, state: state, access: access, write: write)
    }

    @Sendable private static func unchanged(_ fields: Fields) -> Fields { fields }
}
