import DocumentStore
import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let time: Mutex<Timestamp>

    init(_ start: String = "2024-05-01T12:00:00Z") {
        time = Mutex(Timestamp(start) ?? .distantPast)
    }

    var now: Timestamp { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}
