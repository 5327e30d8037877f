import Signals
import Synchronization

/// The URL that a server listens at. It is known shortly after the start; callers can wait for it.
package final class ListeningAddress: Sendable {
    private struct State {
        var isKnown = false
        var url: String?
    }

    private let state = Mutex(State())
    private let announced = Signal()

    /// Creates the address of a server that has not started.
    package init() {}

    /// The URL, as soon as it is known; `nil` if the server ended before it listened.
    package var url: String? {
        get async {
            await announced.waitEvenIfCancelled { self.state.withLock(\.isKnown) }
            return state.withLock(\.url)
        }
    }

    /// The URL, as soon as it is known; `nil` if the server ended before it listened, or if the task is cancelled.
    package var urlUnlessCancelled: String? {
        get async {
            await announced.wait { self.state.withLock(\.isKnown) }
            return state.withLock(\.url)
        }
    }

    /// Sets the URL and resumes the callers that wait. Only the first call counts: an end after a start changes
    /// nothing.
    package func announce(_ url: String?) {
        state.withLock { state in
            if !state.isKnown { state = State(isKnown: true, url: url) }
        }
        announced.notify()
    }
}
