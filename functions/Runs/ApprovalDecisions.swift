import ServiceLifecycle
import Signals
import Synchronization

/// The signal of decisions about approvals, for the requests that wait for them.
final class ApprovalDecisions: Sendable {
    private let changes = Mutex(0)
    private let signal = Signal()
    /// The longest single wait. Other gateways take decisions of which this one hears nothing.
    private let longestWait: Duration
    private let clock: any Clock<Duration>

    /// - Parameter isShared: `true` if other gateways may take decisions too.
    init(isShared: Bool, clock: any Clock<Duration>) {
        longestWait = isShared ? .seconds(1) : .seconds(60)
        self.clock = clock
    }

    /// The number of changes so far.
    var count: Int { changes.withLock(\.self) }

    /// `true` if the gateway stops, so that nothing is waited for any more.
    var isShuttingDown: Bool { Task.isShuttingDownGracefully }

    /// Notes that approvals were decided, or are resolved.
    func changed() {
        changes.withLock { $0 += 1 }
        signal.notify()
    }

    /// Waits for a change, for the given time at most, or until the gateway stops.
    ///
    /// - Parameter count: The number of changes that the caller knows of.
    func wait(after count: Int, atMost bound: Duration) async {
        await cancelWhenGracefulShutdown {
            await self.signal.wait(atMost: min(bound, self.longestWait), clock: self.clock) { self.count != count }
        }
    }
}
