import Logging
import Synchronization

/// The guards of all lanes. Apps name their own bundle ids, so their number is limited: beyond it all guards start
/// again, which removes no registration that should stay.
final class RemovalGuards: Sendable {
    private static let maximumCount = 10_000

    private let context: DispatchContext
    private let guards = Mutex<[Lane: RemovalGuard]>([:])

    init(_ context: DispatchContext) { self.context = context }

    /// Returns the invalid targets whose registrations may be removed. Targets with unknown tokens are left out while
    /// the lane's guard forbids their removal. Targets that are unregistered (APNs' 410) pass without a check: a wrong
    /// setting does not cause that answer.
    func removable(
        _ results: AttemptResults, of job: ChunkJob
    ) -> [(target: Target, invalidation: TokenInvalidation)] {
        let unrecognized = results.invalidTargets.count { $0.invalidation == .unrecognized }
        // A lane that names the configured app counts as the same lane as one that names none.
        let lane = context.resolved(job.chunk.lane)
        let allowsRemoval = record(accepted: results.sent, unrecognized: unrecognized, in: lane)
        guard unrecognized > 0, !allowsRemoval else { return results.invalidTargets }
        context.metrics.recordWithheldRemovals(unrecognized, lane: lane)
        context.logger.error(
            "keeping registrations whose tokens the push service does not know; check key, bundle id and environment",
            metadata: ["lane": "\(lane)", "tokens": "\(unrecognized)"])
        return results.invalidTargets.filter { $0.invalidation != .unrecognized }
    }

    /// Counts the outcomes of an attempt.
    ///
    /// - Returns: `true` if registrations of unknown tokens may be removed.
    private func record(accepted: Int, unrecognized: Int, in lane: Lane) -> Bool {
        let time = context.now()
        return guards.withLock { guards in
            if guards.count >= Self.maximumCount, guards[lane] == nil { guards = [:] }
            guards[lane, default: RemovalGuard()].record(accepted: accepted, unrecognized: unrecognized, at: time)
            return guards[lane]?.allowsRemoval == true
        }
    }
}
