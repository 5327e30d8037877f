internal import DocumentStore
internal import Logging
import Synchronization

/// Lanes of which everything fails: held up, and tried again now and then.
extension Dispatcher {
    /// - Returns: until when the lane is held up.
    func pause(_ job: Job, because failure: Failure) -> Timestamp {
        let time = now()
        let lane = job.chunk.lane
        let trouble = failure.laneTrouble ?? .unreachable
        let (until, waiting) = state.withLock { state in
            let until = state.pause(job, trouble, at: time, retryAfter: failure.retryAfter)
            return (until, until == nil ? [] : state.waitingDeliveries(in: lane))
        }
        guard let until else { return state.withLock { $0.pausedUntil(lane) } ?? time }
        for (number, delivery) in waiting { delivery.chunkPostponed(number, until: nil) }
        logger.error(
            trouble == .refused
                ? "a push service refuses everything of an app; its messages are kept, and tried again"
                : "a push service cannot be reached; its messages are kept, and tried again",
            metadata: ["lane": "\(resolved(lane))", "reason": "\(failure.reason)", "next": "\(until)"])
        return until
    }

    /// Lets all lanes that are held up go on, for whoever has put right what held them up.
    public func resumeAll() {
        state.withLock { $0.resumeAll() }
        wakeUp()
        roomOnDisk.ring()
    }

    /// Lets a lane that was held up go on.
    func resume(_ lane: Lane) {
        guard state.withLock({ $0.resume(lane) }) else { return }
        logger.notice(
            "a push service takes an app's notifications again", metadata: ["lane": "\(resolved(lane))"])
        wakeUp()
    }

    /// Returns the lane with the app and the environment that it stands for where it names none.
    func resolved(_ lane: Lane) -> Lane { transports.transport(for: lane).resolved(lane) }
}
