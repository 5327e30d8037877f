internal import DocumentStore
internal import Logging
import Synchronization

/// Which registrations a push service's word may cost.
extension Dispatcher {
    /// The targets whose registrations are to go: not those whose death is in doubt, while the lane's guard says no.
    func removable(_ harvest: ChunkPass.Harvest, of job: Job) -> [(target: Target, death: TokenDeath)] {
        let doubtful = harvest.deadTargets.count { $0.death == .doubtful }
        let time = now()
        // A lane that names the app of the configuration is the one that names none.
        let lane = resolved(job.chunk.lane)
        let allowsRemoval = guards.withLock { guards in
            guards[lane].record(accepted: harvest.sent, doubtful: doubtful, at: time)
            return guards[lane].allowsRemoval
        }
        guard doubtful > 0, !allowsRemoval else { return harvest.deadTargets }
        metrics.recordWithheldRemovals(doubtful, lane: lane)
        logger.error(
            "a push service does not know an app's tokens; none is removed: check key, bundle id and environment",
            metadata: ["lane": "\(lane)", "tokens": "\(doubtful)"])
        return harvest.deadTargets.filter { $0.death != .doubtful }
    }
}
