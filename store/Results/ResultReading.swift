import Dispatch
import Synchronization

/// The reading of one result. It owns a connection, and gives it back after the last piece, after a failure, when its
/// time is over, or when nothing refers to it any longer.
///
/// Between two pieces it may give its connection to another result. Then it reads the rest on another connection, from
/// the same state, as far as the database keeps its versions.
package final class ResultReading<Kind: ResultConnection>: Sendable {
    /// Begins to read the rows of a query in a transaction that has read nothing yet: from the state at a time, or from
    /// the present one for `nil`. Returns the time of the state, and `nil` for an empty result.
    package typealias Source =
        @Sendable (Kind.Handle, PlannedQuery, Timestamp?) throws -> (time: Timestamp, rows: Kind.OpenResult?)

    /// The use of a connection for some of the pieces.
    private final class Lease: @unchecked Sendable {  // because only blocks on the queue use the variables
        let connection: Kind
        var rows: Kind.OpenResult?
        /// `true` after the end, when the connection may belong to another reading.
        var isOver = false

        init(_ connection: Kind) { self.connection = connection }
    }

    private enum Phase {
        case reading
        case over
        case failed(StoreError)
    }

    private struct State {
        var phase = Phase.reading
        var lease: Lease?
        /// The time of the database's state.
        var time: Timestamp?
        /// The query for the documents that are left; `nil` if the reading cannot change its connection.
        var rest: PlannedQuery?
        /// The end of the last piece; `nil` while one is being read.
        var idleSince: ContinuousClock.Instant?
    }

    private let source: Source
    private let connections: ResultConnections<Kind>
    private let state: Mutex<State>

    init(_ source: @escaping Source, on connection: Kind, of connections: ResultConnections<Kind>) {
        self.source = source
        self.connections = connections
        state = Mutex(State(lease: Lease(connection)))
    }

    deinit { end(.over) }

    /// Begins the transaction, and returns the time of the database's state.
    package func begin(_ query: PlannedQuery) async throws(StoreError) -> Timestamp {
        let (time, rest) = try await begin(query, at: nil, on: try await lease())
        state.withLock { $0.time = time }
        pause(before: rest)
        return time
    }

    /// Returns the next documents; `nil` after the last.
    package func next() async throws(StoreError) -> [Document]? {
        switch state.withLock(\.phase) {
        case .reading: break
        case .over: return nil
        case .failed(let error): throw error
        }
        let (piece, rest) = try await run(on: try await lease()) { handle, lease in
            (try lease.rows?.next(handle), lease.rows?.rest)
        }
        if piece == nil { end(.over) } else { pause(before: rest) }
        return piece
    }

    // MARK: The connection

    /// The time since which no piece is being read; `nil` if one is, or if the connection cannot be released.
    var idleSince: ContinuousClock.Instant? {
        state.withLock { $0.lease == nil || $0.rest == nil ? nil : $0.idleSince }
    }

    /// Gives the connection back until the next piece is asked for. Returns `false` if that is being read already.
    func release() -> Bool {
        let lease = state.withLock { state -> Lease? in
            guard state.idleSince != nil, state.rest != nil else { return nil }
            defer { state.lease = nil }
            return state.lease
        }
        guard let lease else { return false }
        close(lease, wasIdle: true)
        return true
    }

    private func pause(before rest: PlannedQuery?) {
        state.withLock { state in
            state.rest = rest
            state.idleSince = .now
        }
    }

    /// Returns the connection, or, if that was released, another one with the same state of the database.
    private func lease() async throws(StoreError) -> Lease {
        let (kept, rest, time) = state.withLock { state in
            state.idleSince = nil
            return (state.lease, state.rest, state.time)
        }
        if let kept { return kept }
        let new = Lease(try await connections.connection())
        let (lease, phase) = state.withLock { state in
            if case .reading = state.phase, state.lease == nil { state.lease = new }
            return (state.lease, state.phase)
        }
        if lease !== new { connections.give(back: new.connection) }
        if case .failed(let error) = phase { throw error }
        guard let lease, let rest else { throw .closed }
        if lease === new { _ = try await begin(rest, at: time, on: new) }
        return lease
    }

    private func begin(
        _ query: PlannedQuery, at time: Timestamp?, on lease: Lease
    ) async throws(StoreError) -> (time: Timestamp, rest: PlannedQuery?) {
        try await run(on: lease) { [source] handle, lease in
            try Kind.beginReading(handle)
            do {
                let (stateTime, rows) = try source(handle, query, time)
                guard rows != nil || time == nil else { throw StoreError.overtaken }
                lease.rows = rows
                return (stateTime, rows?.rest)
            } catch let error as StoreError where error.code == .failedPrecondition && time != nil {
                throw StoreError.overtaken
            }
        }
    }

    /// Runs the closure on the connection's queue. A cancelled task interrupts it.
    private func run<Answer: Sendable>(
        on lease: Lease, _ body: @escaping @Sendable (Kind.Handle, Lease) throws -> Answer
    ) async throws(StoreError) -> Answer {
        do {
            return try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await withCheckedThrowingContinuation { continuation in
                    lease.connection.run { handle in
                        continuation.resume(
                            with: Result {
                                guard !lease.isOver else { throw StoreError.closed }
                                return try body(try handle.get(), lease)
                            })
                    }
                }
            } onCancel: {
                interrupt()
            }
        } catch {
            end(with: StoreError(wrapping: error))
            // The first failure is the reason for all others.
            if case .failed(let first) = state.withLock(\.phase) { throw first }
            throw StoreError(wrapping: error)
        }
    }

    private func close(_ lease: Lease, wasIdle: Bool = false) {
        lease.connection.run { [connections] handle in
            lease.rows?.end()
            lease.rows = nil
            lease.isOver = true
            if case .success(let handle) = handle { Kind.endReading(handle) }
            connections.give(back: lease.connection, wasIdle: wasIdle)
        }
    }

    // MARK: Ends

    /// Ends the reading after this time, so that a consumer that has stopped does not keep an old state of the file.
    func expire(after lifetime: Duration) {
        guard lifetime > .zero else { return end(with: .expired) }
        let seconds = Double(lifetime.components.seconds) + Double(lifetime.components.attoseconds) * 1e-18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.end(with: .expired) }
    }

    /// Ends the reading; later calls of ``next()`` fail with the error. It has no effect if the reading is over.
    func end(with error: StoreError) { end(.failed(error)) }

    private func end(_ last: Phase) {
        let lease = state.withLock { state -> Lease? in
            guard case .reading = state.phase else { return nil }
            // Afterwards the connection may belong to another reading.
            state.lease?.connection.interrupt()
            state.phase = last
            defer { state.lease = nil }
            return state.lease
        }
        if let lease { close(lease) }
    }

    private func interrupt() { state.withLock { $0.lease?.connection.interrupt() } }
}

extension StoreError {
    fileprivate static let expired = StoreError(
        .aborted, "the result was read for too long, so its state of the database was released; run the query again")
    fileprivate static let overtaken = StoreError(
        .aborted,
        "the result was read slowly while others waited, and its state of the database is not kept; run the query again"
    )
}
