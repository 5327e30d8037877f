import NIOCore
import Synchronization

/// The channels of a server's open connections, so that all can be told of a shutdown.
final class OpenChannels: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// - Returns: `false` when the server is closing, and the channel is not wanted any more.
    func insert(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isWanted = state.withLock { state in
            if state.isClosing { return false }
            state.channels[id] = channel
            return true
        }
        if isWanted { channel.closeFuture.whenComplete { _ in self.remove(id) } }
        return isWanted
    }

    private func remove(_ id: ObjectIdentifier) {
        state.withLock { _ = $0.channels.removeValue(forKey: id) }
    }

    /// Stops taking channels, tells those there are, and returns when all have closed.
    func close(telling event: any Sendable) async {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(event) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
