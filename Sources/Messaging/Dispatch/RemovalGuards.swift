import DocumentStore
import Logging
import Synchronization

/// The guards of all lanes. Apps name their own bundle ids, so their number is limited: beyond it all guards start
/// again, which removes no registration that should stay.
final class RemovalGuards: Sendable {
    private static let maximumCount = 10_000

    private struct Entry {
        var removal = RemovalGuard()
        var reports = IntervalLimit.hourly

        /// Counts the outcomes of an attempt.
        mutating func record(
            accepted: Int, unrecognized: Int, at time: Timestamp
        ) -> (allowsRemoval: Bool, isReported: Bool) {
            removal.record(accepted: accepted, unrecognized: unrecognized, at: time)
            let allowsRemoval = unrecognized == 0 || removal.allowsRemoval
            return (allowsRemoval, !allowsRemoval && reports.admit(at: time.seconds))
        }
    }

    private let context: DispatchContext
    private let guards = Mutex<[Lane: Entry]>([:])

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
        let (allowsRemoval, isReported) = record(accepted: results.sent, unrecognized: unrecognized, in: lane)
        guard !allowsRemoval else { return results.invalidTargets }
        context.metrics.recordWithheldRemovals(unrecognized, lane: lane)
        if isReported { report(unrecognized, in: lane) }
        return results.invalidTargets.filter { $0.invalidation != .unrecognized }
    }

    private func report(_ unrecognized: Int, in lane: Lane) {
        context.logger.log(
            level: context.isOfStrangers(lane) ? .debug : .error,
            "keeping registrations whose tokens the push service does not know; check key, bundle id and environment",
            metadata: ["lane": "\(lane)", "tokens": "\(unrecognized)"])
    }

    /// Counts the outcomes of an attempt.
    ///
    /// - Returns: `true` if there are no registrations of unknown tokens, or these may be removed; and `true` if they
    ///   may not, which is to be reported now.
    private func record(
        accepted: Int, unrecognized: Int, in lane: Lane
    ) -> (allowsRemoval: Bool, isReported: Bool) {
        let time = context.now()
        return guards.withLock { guards in
            if guards.count >= Self.maximumCount, guards[lane] == nil { guards = [:] }
            return guards[lane, default: Entry()].record(accepted: accepted, unrecognized: unrecognized, at: time)
        }
    }
}
