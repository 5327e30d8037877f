package import NIOCore
import Synchronization

/// The channels of a server's open connections, which receive an event at shutdown.
package final class OpenChannels: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// Creates the table of a server without connections.
    package init() {}

    /// Adds a channel until it closes.
    ///
    /// - Returns: `false` if the server is closing. The caller then rejects the channel.
    package func insert(_ channel: any Channel) -> Bool {
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

    /// Rejects new channels, sends the event to the open ones, and returns after all have closed.
    package func close(telling event: any Sendable) async {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(event) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
