package import DocumentStore
import Logging

/// The pause of a lane in which every notification fails, without I/O. Nothing is sent until its end; then one
/// notification probes the lane.
struct LanePause: Sendable {
    private var failures = 0
    private(set) var until = Timestamp.distantPast

    /// Extends the pause after a failure. Its length doubles with each consecutive failure: from 5 s to 5 min if the
    /// service refuses the sender (Apple treats frequent refusals as an attack), from 1 s to 1 min if it cannot be
    /// reached. It is longer if the service asks for it, up to an hour.
    mutating func failed(_ failure: LaneFailure, at now: Timestamp, retryAfter: Duration?) {
        let (first, longest): (Duration, Duration) =
            switch failure {
            case .refused: (.seconds(5), .seconds(300))
            case .unreachable: (.seconds(1), .seconds(60))
            }
        let delay = min(first * (1 << min(failures, 10)), longest)
        failures += 1
        until = now.adding(max(delay, min(retryAfter ?? .zero, RetryAfter.longest)))
    }
}

/// Lanes in which every notification fails: they are paused, and probed from time to time.
extension Dispatcher {
    /// Pauses the lane of a job.
    func pause(_ job: ChunkJob, because failure: Failure) {
        let laneFailure = failure.laneFailure ?? .unreachable
        guard let until = lanes.pause(job, laneFailure, retryAfter: failure.retryAfter) else { return }
        logger.error(
            laneFailure == .refused
                ? "pausing a lane; the push service refuses its app, and its messages are kept for later"
                : "pausing a lane; the push service cannot be reached, and its messages are kept for later",
            metadata: ["lane": "\(resolved(job.chunk.lane))", "reason": "\(failure.reason)", "next": "\(until)"])
    }

    /// Resumes all paused lanes, after their cause was fixed.
    package func resumeAll() {
        lanes.resumeAll()
        wakeUp()
        lanes.refill()
    }

    /// The lanes that are paused now, with the ends of their pauses. A lane is named as in the log.
    package var pausedLanes: [(name: String, until: Timestamp)] {
        lanes.paused.map { ("\(resolved($0.lane))", $0.until) }
    }

    /// Resumes a paused lane.
    func resume(_ lane: Lane) {
        guard lanes.resume(lane) else { return }
        logger.notice(
            "resumed a lane; the push service accepts its notifications again", metadata: ["lane": "\(resolved(lane))"])
        wakeUp()
        lanes.refill()
    }

    /// Returns the lane with the app and the environment that the configuration gives it.
    func resolved(_ lane: Lane) -> Lane { transports.transport(for: lane).resolved(lane) }
}
