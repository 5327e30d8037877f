import DocumentStore
import Logging
import ServiceLifecycle

/// The settling of outcomes: it removes registrations, rewrites the chunk, and answers waiting requests.
///
/// Waiting callers learn an outcome immediately, and its commit follows. If the process ends in between, it sends to
/// the targets again, with the same ids. If registrations are removed, callers learn the outcome after the commit,
/// because they need the number of removals.
final class ChunkSettler: Sendable {
    private let context: DispatchContext
    private let registrations: RegistrationPruner
    private let jitter: @Sendable () -> Double
    private let guards: RemovalGuards
    private let events: SettlementEvents?

    /// The maximum number of chunks without attempts that are settled in one commit. Commits of others wait for it.
    private static let maximumGroup = 50

    /// The wait before a failed commit is retried, for example because the disk is full.
    private static let commitRetryDelay = Duration.seconds(1)
    /// The shortest wait of targets for their turns.
    private static let shortestWait = Duration.seconds(1)

    /// Creates a settler.
    ///
    /// - Parameter jitter: evenly distributed in 0..<1.
    init(_ context: DispatchContext, jitter: @escaping @Sendable () -> Double) {
        self.context = context
        self.jitter = jitter
        guards = RemovalGuards(context)
        events = context.events.map { SettlementEvents(context, recorder: $0) }
        registrations = RegistrationPruner(store: context.store, now: context.now, logger: context.logger)
    }

    /// Reads what earlier processes have left; before the first outcome.
    func begin() async { await events?.readReported() }

    /// Settles a batch of outcomes.
    ///
    /// - Parameter isLast: `true` if the attempt has ended; targets that are still pending are then due after a
    ///   delay.
    func settle(_ results: AttemptResults, of attempt: ChunkAttempt, isLast: Bool) {
        var settlement = Settlement(
            results: results, invalid: guards.removable(results, of: attempt.job), isLast: isLast)
        if isLast {
            if let failure = results.laneFailure, !results.isAbandoned { pause(attempt.job, because: failure) }
            if !results.chunk.isSettled { reschedule(&settlement.results.chunk, results, of: attempt.job) }
        }
        if let events { settlement.events = events.writes(for: results, settlement.invalid, of: attempt.job.message) }
        let settled = settlement
        guard settled.invalid.isEmpty, results.foundTargets.isEmpty else {
            return context.tasks.add { await self.settleWithRegistrations(settled, of: attempt) }
        }
        report(settled, pruned: 0, of: attempt.job)
        do throws(StoreError) {
            var writes = [try write(of: settled.chunk, attempt.job.message)]
            writes += settled.events
            context.store.commit(writes) { [self] result in
                if let error = result.chunkError { return failed(error, settled, of: attempt) }
                stored(settled, of: attempt)
            }
        } catch {
            failed(error, settled, of: attempt)
        }
    }

    private func failed(_ error: StoreError, _ settlement: Settlement, of attempt: ChunkAttempt) {
        report(error, settlement.chunk.id)
        context.tasks.add { await self.settleLater(settlement, of: attempt) }
    }

    /// Settles jobs with nothing to send, many in one commit.
    ///
    /// - Parameter completion: called with jobs after they were stored, or after the gateway had to stop before that:
    ///   in the end once for each.
    func settle(_ jobs: [ChunkJob], completion: @escaping @Sendable ([ChunkJob]) -> Void) {
        for start in stride(from: 0, to: jobs.count, by: Self.maximumGroup) {
            settleGroup(jobs[start..<min(start + Self.maximumGroup, jobs.count)], completion)
        }
    }

    private func settleGroup(
        _ jobs: ArraySlice<ChunkJob>, _ completion: @escaping @Sendable ([ChunkJob]) -> Void
    ) {
        let time = context.now()
        let settlements = jobs.map { job in
            let results = AttemptResults(ofUnsent: job, at: time, keepsSettled: context.events?.isRecording ?? false)
            let events = events?.writes(for: results, [], of: job.message) ?? []
            return (job, Settlement(results: results, invalid: [], isLast: true, events: events))
        }
        for (job, settlement) in settlements { report(settlement, pruned: 0, of: job) }
        let completed: @Sendable (StoreError?) -> Void = { [self] error in
            guard let error else {
                for (_, settlement) in settlements { recorded(settlement) }
                return completion(settlements.map(\.0))
            }
            for (job, settlement) in settlements {
                report(error, settlement.chunk.id)
                context.tasks.add { [self] in
                    if await pauseBeforeRetry() { _ = await untilStored(settlement, of: job.message) {} }
                    recorded(settlement)
                    completion([job])
                }
            }
        }
        do throws(StoreError) {
            var writes: [Write] = []
            for (job, settlement) in settlements {
                writes.append(try write(of: settlement.chunk, job.message))
                writes += settlement.events
            }
            context.store.commit(writes) { completed($0.chunkError) }
        } catch {
            completed(error)
        }
    }

    /// The outcomes of an attempt, or of a part of it.
    private struct Settlement: Sendable {
        /// The outcomes, with the chunk to store.
        var results: AttemptResults
        /// The targets whose registrations are to be removed.
        let invalid: [(target: Target, invalidation: TokenInvalidation)]
        let isLast: Bool
        /// The writes that record what has happened, for programs of the operator.
        var events: [Write] = []

        var chunk: Chunk { results.chunk }
    }

    private func settleWithRegistrations(_ settlement: Settlement, of attempt: ChunkAttempt) async {
        var pruned = 0
        var invalid = settlement.invalid
        let fields = attempt.job.message.registrationFields
        let isStored = await untilStored(settlement, of: attempt.job.message) { () async throws(StoreError) in
            pruned += try await self.registrations.remove(invalid, fields)
            invalid = []
            try await self.registrations.remember(settlement.results.foundTargets, fields)
        }
        if pruned > 0 {
            context.logger.info(
                "removed registrations whose tokens are no longer valid",
                metadata: [
                    "lane": "\(settlement.chunk.lane)", "message": "\(settlement.chunk.id.message)",
                    "count": "\(pruned)",
                ])
        }
        if isStored { report(settlement, pruned: pruned, of: attempt.job) }
        stored(settlement, of: attempt)
    }

    private func settleLater(_ settlement: Settlement, of attempt: ChunkAttempt) async {
        if await pauseBeforeRetry() { _ = await untilStored(settlement, of: attempt.job.message) {} }
        stored(settlement, of: attempt)
    }

    // MARK: Reporting

    private func report(_ settlement: Settlement, pruned: Int, of job: ChunkJob) {
        let (chunk, results) = (settlement.chunk, settlement.results)
        context.metrics.record(results, lane: chunk.lane, isLast: settlement.isLast)
        context.recent.add(
            accepted: results.sent, rejected: results.rejections, failed: settlement.isLast ? results.failures : [:],
            at: context.now())
        if settlement.isLast, chunk.isSettled {
            context.metrics.recordSettled(after: context.now() - job.message.acceptedAt, source: job.message.source)
        }
        guard let delivery = job.delivery else { return }
        delivery.update { progress in
            progress.sent += results.sent
            progress.superseded += results.superseded
            progress.rejections.merge(results.rejections, uniquingKeysWith: +)
            progress.lastRejection = results.lastRejection ?? progress.lastRejection
            progress.pruned += pruned
            if !results.failures.isEmpty || progress.failures[chunk.id.number] != nil {
                progress.failures[chunk.id.number] = results.failures
            }
        }
        guard settlement.isLast else { return }
        if chunk.isSettled {
            delivery.chunkSettled(chunk.id.number)
        } else {
            // A chunk that is due waits for its lane, or for another gateway.
            delivery.chunkPostponed(chunk.id.number, until: chunk.dueAt > context.now() ? chunk.dueAt : nil)
        }
    }

    /// Sets the time of the next attempt: after a delay, or at the expiry of the message, which gives up pending
    /// targets and removes the chunk's copies of their tokens. The registrations stay. A failure of the whole lane does
    /// not count as an attempt at the chunk, which keeps its place in the queue: after the pause the oldest is first.
    /// A wait of targets for their turns does not count either.
    private func reschedule(_ chunk: inout Chunk, _ results: AttemptResults, of job: ChunkJob) {
        // The gateway that takes over sends to the rest at once.
        guard !results.isAbandoned, results.laneFailure == nil else { return }
        var delay = Self.shortestWait
        if results.hasTried || results.failures.isEmpty {
            chunk.attempts += 1
            delay = context.configuration.retryPolicy.delay(afterAttempts: chunk.attempts, jitter: jitter())
        }
        chunk.dueAt = min(chunk.nextTry(notBefore: context.now().adding(delay)), job.message.expiresAt)
    }

    /// Pauses the lane of a job.
    private func pause(_ job: ChunkJob, because failure: Failure) {
        let laneFailure = failure.laneFailure ?? .unreachable
        guard let until = context.lanes.pause(job, failure) else { return }
        events?.heldUp(job.chunk.lane, laneFailure, reason: failure.reason)
        context.logger.error(
            laneFailure == .refused
                ? "pausing a lane; the push service refuses its app, and its messages are kept for later"
                : "pausing a lane; the push service cannot be reached, and its messages are kept for later",
            metadata: [
                "lane": "\(context.resolved(job.chunk.lane))", "reason": "\(failure.reason)", "next": "\(until)",
            ])
    }

    // MARK: Storing

    /// Continues after a batch was stored, or after the gateway had to stop before that: it then sends to the targets
    /// again after the start.
    private func stored(_ settlement: Settlement, of attempt: ChunkAttempt) {
        recorded(settlement)
        guard settlement.isLast else { return attempt.stored() }
        attempt.end(dueAt: settlement.chunk.isSettled ? nil : settlement.chunk.dueAt)
    }

    private func recorded(_ settlement: Settlement) {
        if !settlement.events.isEmpty { context.events?.recorded() }
    }

    /// Stores a chunk, with retries until it succeeds: a push service's answers must not be lost because the disk is
    /// full for a while.
    ///
    /// - Parameter first: a step that must succeed before.
    /// - Returns: `false` if the gateway stops before it succeeds.
    private func untilStored(
        _ settlement: Settlement, of message: AcceptedMessage, after first: () async throws(StoreError) -> Void
    ) async -> Bool {
        var events = settlement.events
        while true {
            do throws(StoreError) {
                try await first()
                _ = try await context.store.commit([try write(of: settlement.chunk, message)] + events)
                return true
            } catch  where error.isOfGoneChunk {
                return true
            } catch {
                // Events that the store cannot take must not keep an outcome from being stored.
                if error.code == .invalidArgument { events = [] }
                report(error, settlement.chunk.id)
            }
            guard await pauseBeforeRetry() else { return false }
        }
    }

    /// Waits before the next attempt at a commit.
    ///
    /// - Returns: `false` if the gateway stops.
    private func pauseBeforeRetry() async -> Bool {
        guard !Task.isShuttingDownGracefully else { return false }
        return (try? await context.clock.sleep(for: Self.commitRetryDelay)) != nil
    }

    private func write(of chunk: Chunk, _ message: AcceptedMessage) throws(StoreError) -> Write {
        chunk.isSettled
            ? .set(try chunk.path(of: message), chunk.settledFields(at: context.now(), of: message))
            : .update(try chunk.path(of: message), chunk.progressFields(in: context.queue))
    }

    private func report(_ error: StoreError, _ chunk: ChunkID) {
        // The store itself reports that the disk is full, for all chunks at once.
        context.logger.log(
            level: error.code == .resourceExhausted ? .debug : .error,
            "failed to persist delivery results; retrying",
            metadata: ["chunk": "\(chunk)", "error": "\(error)"])
    }
}

extension StoreError {
    /// `true` if somebody has deleted the chunk: there is nothing to store.
    fileprivate var isOfGoneChunk: Bool { code == .notFound }
}

extension Result<CommitResult, StoreError> {
    /// The error for which a chunk is to be stored later; `nil` if it was stored, or deleted by somebody.
    fileprivate var chunkError: StoreError? {
        if case .failure(let error) = self, !error.isOfGoneChunk { error } else { nil }
    }
}
