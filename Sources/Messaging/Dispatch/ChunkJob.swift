import DocumentStore

/// A chunk during its processing by the dispatcher.
struct ChunkJob: Sendable {
    var chunk: Chunk
    var message: AcceptedMessage
    /// The delivery that callers await, if any.
    let delivery: Delivery?
    /// `true` if the job probes a paused lane: its first notification is sent alone.
    var isProbe = false
    /// `true` for a page that was cut after its message was accepted, and for a new chunk that waited until its lane
    /// was read: messages that came in between are newer.
    var mayBeOvertaken = false
    /// The number of ``DispatchState``'s last advance when the job started.
    var advance = 0

    init(chunk: Chunk, message: AcceptedMessage, delivery: Delivery?) {
        self.chunk = chunk
        self.message = message
        self.delivery = delivery
    }

    /// Returns `true` if the job can be settled without an attempt: newer messages replace all its pending targets, or
    /// its message has expired.
    func hasNothingToSend(at time: Timestamp) -> Bool {
        message.expiresAt <= time || chunk.entries.allSatisfy { $0.state != .pending || $0.isReplaced }
    }

    /// Returns the job after newer messages have replaced all its pending targets while it waited.
    var replaced: ChunkJob {
        var job = self
        job.chunk.replace(chunk.entries.indices)
        return job
    }

    /// Returns the job after its wait for the end of a read, in which newer messages have replaced targets.
    func arrived(_ marks: Set<Int>) -> ChunkJob {
        var job = self
        job.mayBeOvertaken = true
        job.chunk.replace(marks)
        return job
    }
}
