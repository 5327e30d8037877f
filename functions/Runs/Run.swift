internal import DocumentStore

/// A run, as far as later events need it.
///
/// `runs/{…}`: `runId`, `repoName`?, `promptPreview`?, `serverId`?, `endedSeq`? (the `seq` of the event that ended it),
/// `lastSeenAt`
struct Run: Hashable, Sendable {
    enum Field {
        static let id = "runId"
        static let endedSeq = "endedSeq"
        static let lastSeenAt = "lastSeenAt"
    }

    let id: String
    private(set) var texts: RunTexts
    private var endedSeq: Int64?
    /// The update time of its document; `nil` if there is none.
    private let updateTime: Timestamp?

    init(id: String, _ document: Document?) {
        self.id = id
        texts = RunTexts(document)
        endedSeq = document?[Field.endedSeq]?.integer
        updateTime = document?.updateTime
    }

    /// Takes the event's texts, and its place in the run if it ends that.
    mutating func take(_ event: RunEvent) {
        texts = event.texts.filled(from: texts)
        guard event.kind.endsRun, let seq = event.seq else { return }
        endedSeq = max(seq, endedSeq ?? seq)
    }

    /// Returns whether an event is older than the run's end and was overtaken by it.
    func hasEnded(before event: RunEvent) -> Bool {
        guard let endedSeq, let seq = event.seq else { return false }
        return seq < endedSeq
    }

    /// Stores it, unless another event has changed it meanwhile. The commit's time makes every write a change.
    func write() throws(StoreError) -> Write {
        var fields = texts.fields
        fields[Field.id] = .string(id)
        fields[Field.endedSeq] = endedSeq.map(Value.integer)
        return .set(
            try RunsDocuments.run(id), fields, transforms: [FieldTransform(FieldPath(Field.lastSeenAt), .serverTime)],
            precondition: updateTime.map(Precondition.updateTime) ?? .exists(false))
    }
}
