import Synchronization

/// Something that happens once.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock(\.self) }

    func set() { value.withLock { $0 = true } }
}
