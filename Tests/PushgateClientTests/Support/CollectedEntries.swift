import PushgateClient
import Synchronization

/// The entries of a client's log.
final class CollectedEntries: Sendable {
    private let entries = Mutex<[PushLogger.Entry]>([])

    var all: [PushLogger.Entry] { entries.withLock { $0 } }
    var logger: PushLogger { PushLogger { entry in self.entries.withLock { $0.append(entry) } } }

    func lines(_ level: PushLogger.Level) -> [String] {
        all.filter { $0.level == level }.map(\.description)
    }
}
