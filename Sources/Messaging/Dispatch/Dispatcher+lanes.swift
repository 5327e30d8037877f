internal import DocumentStore
internal import Logging
import Synchronization

/// Lanes that their push service refuses as a whole: held up, and tried again now and then.
extension Dispatcher {
    /// - Returns: until when the lane is held up.
    func pause(_ job: Job, because refusal: Failure) -> Timestamp {
        let time = now()
        let lane = job.chunk.lane
        guard let until = state.withLock({ $0.pause(job, at: time, retryAfter: refusal.retryAfter) }) else {
            return state.withLock { $0.pausedUntil(lane) } ?? time
        }
        logger.error(
            "a push service refuses everything of an app; its messages are kept, and tried again",
            metadata: ["lane": "\(lane.key)", "reason": "\(refusal.reason)", "next": "\(until)"])
        return until
    }

    /// Lets a lane that was held up go on.
    func resume(_ lane: Lane) {
        guard state.withLock({ $0.resume(lane) }) else { return }
        logger.notice("the push service takes notifications of the app again", metadata: ["lane": "\(lane.key)"])
        start()
    }
}
