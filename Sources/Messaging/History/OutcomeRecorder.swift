package import DocumentStore
package import Logging
import ServiceLifecycle

/// A service that adds the outcomes of each minute to those of their hour. A minute without any costs nothing, and the
/// end of the process loses the last one.
package final class OutcomeRecorder: Service {
    private static let interval = Duration.seconds(60)

    private let recent: RecentOutcomes
    private let hours: OutcomeHours
    private let clock: any Clock<Duration>
    private let logger: Logger

    package init(
        of dispatcher: Dispatcher, store: any DocumentStore, clock: any Clock<Duration> = .continuous, logger: Logger
    ) {
        recent = dispatcher.recent
        hours = OutcomeHours(store: store)
        self.clock = clock
        self.logger = logger
    }

    /// Records until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await self.clock.sleep(for: Self.interval)
                } catch {
                    return
                }
                await self.record()
            }
        }
    }

    /// Stores the outcomes that are not in the store yet. What cannot be stored is kept for the next time.
    package func record() async {
        let counts = recent.takeUnsaved()
        do throws(StoreError) {
            try await hours.add(counts)
        } catch {
            recent.restore(counts)
            logger.debug("failed to store the outcomes of an hour", metadata: ["error": "\(error)"])
        }
    }
}
