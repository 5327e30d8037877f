import NIOCore
import Synchronization

/// The channels of a stand-in, which close together.
final class StandInConnections: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in self?.channels.withLock { $0[id] = nil } }
    }

    /// Closes all channels, the listening ones included.
    func closeAll() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
