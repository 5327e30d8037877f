import DocumentStore
import FirestoreProtos

/// The protocol of one Listen stream: turns requests, changes and reads into answers.
///
/// A client acts only on an answer that all targets are consistent, so the answers of one snapshot may be sent in
/// pieces. A target that changes cannot bring up to date is stale until its reader has read it.
struct ListenState {
    let database: DatabaseID
    private let tokens: ResumeTokens
    private let redact: @Sendable (Fields) -> Fields
    /// The time at which all targets that are not stale are consistent.
    private(set) var time = Timestamp.distantPast
    private var targets: [Int32: TargetState] = [:]
    private var documents = OutgoingDocuments()
    private var responses: [Google_Firestore_V1_ListenResponse] = []
    private var hasNews = false

    init(database: DatabaseID, tokens: ResumeTokens, redact: @escaping @Sendable (Fields) -> Fields = { $0 }) {
        self.database = database
        self.tokens = tokens
        self.redact = redact
    }

    /// Returns the answers so far, in their order, and forgets them.
    mutating func takeResponses() -> [Google_Firestore_V1_ListenResponse] {
        sendDocuments()
        defer { responses = [] }
        return responses
    }

    private mutating func send(_ response: Google_Firestore_V1_ListenResponse) {
        sendDocuments()
        responses.append(response)
    }

    private mutating func sendDocuments() {
        guard !documents.isEmpty else { return }
        hasNews = true
        responses += documents.take(in: database, redact: redact)
    }
}

/// Adding and removing targets.
extension ListenState {
    /// Adds a target, in place of one with the same id. A malformed target ends at once; the stream goes on.
    mutating func add(_ message: Google_Firestore_V1_Target) {
        let id = message.targetID == 0 ? unusedID : message.targetID
        let isReplaced = targets.removeValue(forKey: id) != nil
        send(.added(id))
        do throws(FirestoreStatus) {
            var target = try ListenTarget(message, in: database)
            if isReplaced {
                target.resumption = nil
                send(.reset(id))
            }
            targets[id] = TargetState(target)
        } catch {
            send(.removed(id, cause: error))
        }
    }

    /// Removes a target. A target that does not exist is removed as well.
    mutating func remove(_ id: Int32) {
        targets[id] = nil
        send(.removed(id))
    }

    /// Ends a target that cannot be read.
    mutating func fail(_ id: Int32, _ status: FirestoreStatus) {
        targets[id] = nil
        send(.removed(id, cause: status))
    }

    private var unusedID: Int32 {
        var id: Int32 = 1
        while targets[id] != nil { id += 1 }
        return id
    }
}

/// Following changes.
extension ListenState {
    /// Applies changes to the targets that are not stale.
    mutating func apply(_ changes: Changes) {
        let ids = targets.keys.sorted()
        switch changes.content {
        case .missed: for id in ids { targets[id]?.miss(upTo: changes.readTime) }
        case .documents(let documents): for change in documents { apply(change, to: ids) }
        }
        advance(to: changes.readTime)
    }

    /// Notes that there are no other changes up to a time.
    mutating func advance(to present: Timestamp) {
        time = max(time, present)
        for id in targets.keys { targets[id]?.advance(to: present) }
    }

    private mutating func apply(_ change: DocumentChange, to ids: [Int32]) {
        for id in ids {
            guard let effect = targets[id]?.apply(change) else { continue }
            let mask = targets[id]?.target.mask
            switch effect {
            case .entered(let document): documents.add(document, to: id, mask: mask)
            case .left(let document):
                documents.remove(change.path, document, from: id, mask: mask, at: change.time)
            }
        }
    }

    /// Ends a snapshot: announces it if it differs from the last one, and ends the targets that want only one.
    mutating func finishSnapshot() {
        sendDocuments()
        guard hasNews else { return }
        announce()
        for (id, state) in targets.sorted(by: { $0.key < $1.key }) where state.target.isOnce && state.isCurrent {
            remove(id)
        }
    }

    /// Announces that the targets are consistent now, so that the client keeps the stream and has a fresh token.
    mutating func announce() {
        send(.consistent(at: time, tokens.token(at: time)))
        hasNews = false
    }
}

/// Reading targets.
extension ListenState {
    /// The ids of the targets to be read.
    var staleTargets: [Int32] { targets.filter { $0.value.isStale }.keys.sorted() }

    /// Returns a target; `nil` if it has ended.
    func target(_ id: Int32) -> ListenTarget? { targets[id]?.target }

    /// Returns the state that the client knows from an earlier stream; `nil` if it knows none, or was told the present
    /// one already.
    func resumption(of id: Int32) -> ListenTarget.Resumption? {
        targets[id].flatMap { $0.isCurrent ? nil : $0.target.resumption }
    }

    /// Begins to read a target.
    ///
    /// - Parameter versions: the documents that the client has from an earlier stream; `nil` if this cannot be told.
    mutating func beginReading(_ id: Int32, resumedFrom versions: [DocumentPath: Timestamp]?) {
        if resumption(of: id) != nil, versions == nil { send(.reset(id)) }
        targets[id]?.beginReading(resumedFrom: versions)
    }

    /// Adds documents of a target's present state.
    mutating func add(_ found: [Document], to id: Int32) {
        let mask = target(id)?.mask
        for document in found where targets[id]?.add(document) == true { documents.add(document, to: id, mask: mask) }
    }

    /// Returns the documents that have left a target, after all others were added.
    mutating func takeDepartures(from id: Int32) -> [DocumentPath] { targets[id]?.takeDepartures() ?? [] }

    /// Removes a document from a target; it is `nil` if it does not exist.
    mutating func remove(_ path: DocumentPath, _ document: Document?, from id: Int32, at time: Timestamp) {
        documents.remove(path, document, from: id, mask: target(id)?.mask, at: time)
    }

    /// Ends the reading of a target.
    ///
    /// - Parameter time: the time of the state that was read.
    mutating func finishReading(_ id: Int32, at time: Timestamp) {
        let isFirst = targets[id]?.isCurrent == false
        if let count = targets[id]?.finishReading(at: time) { send(.count(count, of: id)) }
        guard isFirst else { return }
        send(.current(id, at: time, tokens.token(at: time)))
        hasNews = true
    }
}
