import DocumentStore
import FirestoreProtos

/// The reads and answers of one Listen stream over a store. While an answer waits for a slow client, changes become
/// one state in the listener.
struct ListenStream {
    /// Sends an answer, and waits while the client does not take it.
    typealias Write = @Sendable (Google_Firestore_V1_ListenResponse) async throws -> Void

    let store: any DocumentStore
    /// Created before the first read, so that no change is missed.
    let listener: ChangeListener
    let tokens: ResumeTokens
    var state: ListenState
    /// The caller's access to the database.
    let access: FirestoreCaller.Access
    let write: Write

    /// The number of documents read at once by their names.
    private static let batch = 100

    /// Takes a request in. ``catchUp()`` answers it.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it concerns no target, or another database.
    mutating func accept(_ request: Google_Firestore_V1_ListenRequest) throws(FirestoreStatus) {
        if !request.database.isEmpty, try DatabaseID(firestoreName: request.database) != state.database {
            throw .invalid("A stream listens to one database.")
        }
        switch request.targetChange {
        case .addTarget(let target):
            state.add(target)
            endForbiddenTargets()
        case .removeTarget(let id): state.remove(id)
        case nil: throw .invalid("A request must add or remove a target.")
        }
    }

    private mutating func endForbiddenTargets() {
        for id in state.staleTargets {
            guard let query = state.target(id)?.query else { continue }
            do throws(FirestoreStatus) { try access.check(query) } catch { state.fail(id, error) }
        }
    }

    /// Sends a snapshot of all targets that contains all commits so far, if it differs from the last.
    mutating func catchUp() async throws {
        // A client that resumes may know a time after the last commit.
        if state.time == .distantPast { state.advance(to: (try? await store.presentTime()) ?? store.readTime) }
        var goal = store.readTime
        repeat {
            state.apply(try await listener.next(upTo: goal))
            for id in state.staleTargets { goal = max(goal, try await refresh(id)) }
            try await send()
        } while goal > state.time
        state.finishSnapshot()
        try await send()
    }

    /// Announces the state of the present moment, even if it is as before, so that the client has a fresh token: older
    /// ones than an hour are of no use.
    mutating func beat() async throws {
        // While nothing can be written, the last snapshot's time has to do.
        let present = (try? await store.presentTime()) ?? store.readTime
        try await catchUp()
        state.advance(to: present)
        state.announce()
        try await send()
    }

    private mutating func send() async throws {
        for response in state.takeResponses() { try await write(response) }
    }

    /// Reads a target, or ends it if only this target fails.
    private mutating func refresh(_ id: Int32) async throws -> Timestamp {
        do {
            return try await read(id)
        } catch let error as StoreError where error.concernsOneRead {
            state.fail(id, FirestoreStatus(error))
            return state.time
        }
    }
}

/// Reading targets.
extension ListenStream {
    /// Sends the differences between the client's documents of a target and the present ones.
    ///
    /// - Returns: the time of the state that was read.
    private mutating func read(_ id: Int32) async throws -> Timestamp {
        guard let target = state.target(id) else { return state.time }
        let (reader, snapshotTime) = try await reader()
        var time = snapshotTime ?? store.readTime
        state.beginReading(id, resumedFrom: try await versions(of: target, id))
        switch target.content {
        case .query(let query, _):
            let results = try await reader.results(of: query)
            time = snapshotTime ?? results.readTime
            while let documents = try await results.next() {
                state.add(documents, to: id)
                try await send()
            }
        case .documents(let paths):
            state.add(try await reader.documents(at: Array(paths)).compactMap(\.self), to: id)
        }
        try await removeDepartures(from: id, reader, at: time)
        state.finishReading(id, at: time)
        return time
    }

    /// Returns a reader of the state at the stream's time, with this time. A database without versions has only its
    /// present state, which may be later.
    private func reader() async throws -> (any DocumentReader, Timestamp?) {
        guard let snapshot = try await snapshot(at: state.time) else { return (store, nil) }
        return (snapshot, state.time)
    }

    private func snapshot(at time: Timestamp) async throws -> (any DocumentReader)? {
        do throws(StoreError) {
            return try await store.snapshot(at: time)
        } catch {
            if error.code == .failedPrecondition { return nil }
            throw error
        }
    }

    private mutating func removeDepartures(
        from id: Int32, _ reader: any DocumentReader, at time: Timestamp
    ) async throws {
        var rest = state.takeDepartures(from: id)[...]
        while !rest.isEmpty {
            let paths = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
            for (path, document) in zip(paths, try await reader.documents(at: paths)) {
                state.remove(path, document, from: id, at: time)
            }
        }
    }

    /// Returns the documents that the client has from an earlier stream, with their update times; `nil` if this cannot
    /// be told.
    private func versions(of target: ListenTarget, _ id: Int32) async throws -> [DocumentPath: Timestamp]? {
        guard let time = resumptionTime(of: id), let reader = try await snapshot(at: time) else { return nil }
        var versions: [DocumentPath: Timestamp] = [:]
        switch target.content {
        case .query(var query, _):
            query.projection = []
            let results = try await reader.results(of: query)
            while let documents = try await results.next() {
                for document in documents { versions[document.path] = document.updateTime }
            }
        case .documents(let paths):
            for case let document? in try await reader.documents(at: Array(paths)) {
                versions[document.path] = document.updateTime
            }
        }
        return versions
    }

    private func resumptionTime(of id: Int32) -> Timestamp? {
        switch state.resumption(of: id) {
        case .token(let token): tokens.time(of: token).flatMap { $0 <= state.time ? $0 : nil }
        case .time(let time): time
        case nil: nil
        }
    }
}

extension StoreError {
    /// `true` if other reads may succeed.
    fileprivate var concernsOneRead: Bool {
        switch code {
        case .unavailable, .cancelled, .aborted: false
        default: true
        }
    }
}
