import DocumentStore

/// The state of a run that later events need.
///
/// `runs/{…}`: `runId`, `repoName`?, `promptPreview`?, `serverId`?, `hasEnded`? (`true` once an
/// event has ended it), `endedSeq`? (that event's `seq`), `lastSeenAt`
struct Run: Hashable, Sendable {
    enum Field {
        static let id = "runId"
        static let hasEnded = "hasEnded"
        static let endedSeq = "endedSeq"
        static let lastSeenAt = "lastSeenAt"
    }

    let id: String
    private(set) var texts: RunTexts
    private var hasEnded: Bool
    private var endedSeq: Int64?
    /// The update time of the document; `nil` if there is none.
    private let updateTime: Timestamp?

    init(id: String, _ document: Document?) {
        self.id = id
        texts = RunTexts(document)
        endedSeq = document?[Field.endedSeq]?.integer
        hasEnded = document?[Field.hasEnded]?.boolean ?? (endedSeq != nil)
        updateTime = document?.updateTime
    }

    /// Takes over the event's texts and, if the event ends the run, that it has ended, with its `seq`.
    mutating func take(_ event: RunEvent) {
        texts = event.texts.filled(from: texts)
        guard event.kind.endsRun else { return }
        hasEnded = true
        guard let seq = event.seq else { return }
        endedSeq = max(seq, endedSeq ?? seq)
    }

    /// Returns `true` if the run ended with a later event, which overtook this one.
    func hasEnded(before event: RunEvent) -> Bool {
        guard let endedSeq, let seq = event.seq else { return false }
        return seq < endedSeq
    }

    /// Returns `true` if a report of progress comes too late to be shown. Without the positions of both events, it does
    /// once the run has ended: a card that it started would have no end.
    func isOver(for event: RunEvent) -> Bool {
        endedSeq == nil || event.seq == nil ? hasEnded : hasEnded(before: event)
    }

    /// Returns a write that fails if another event has changed the document meanwhile. The commit's time makes every
    /// write a change.
    func write() throws(StoreError) -> Write {
        var fields = texts.fields
        fields[Field.id] = .string(id)
        if hasEnded { fields[Field.hasEnded] = .boolean(true) }
        fields[Field.endedSeq] = endedSeq.map(Value.integer)
        return .set(
            try RunsDocuments.run(id), fields, transforms: [FieldTransform(FieldPath(Field.lastSeenAt), .serverTime)],
            precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}

/// The number of pending approvals, which is the badge on every device.
///
/// `runState/badge`: `pending`
struct PendingCount: Sendable {
    private(set) var value: Int64
    /// The update time of the document; `nil` if there is none.
    private let updateTime: Timestamp?

    init(_ document: Document?) {
        value = document?[RunsDocuments.pending]?.integer ?? 0
        updateTime = document?.updateTime
    }

    func changed(by change: Int) -> PendingCount {
        var count = self
        count.value = max(0, value + Int64(change))
        return count
    }

    /// Returns a write that fails if another event has changed the document meanwhile.
    func write() throws(StoreError) -> Write {
        .set(
            try RunsDocuments.badge(), [RunsDocuments.pending: .integer(value)],
            precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}
