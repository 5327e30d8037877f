import Signals
import Synchronization

/// A gate that suspends callers until it opens or they are cancelled.
package final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let opened = Signal()

    package init() {}

    /// The number of callers that wait.
    package var waiting: Int { opened.waiterCount }

    /// Opens the gate for good and resumes all waiting callers.
    package func open() {
        isOpen.withLock { $0 = true }
        opened.notify()
    }

    /// Returns once the gate is open or the calling task is cancelled.
    package func pass() async { await opened.wait { self.isOpen.withLock { $0 } } }
}
