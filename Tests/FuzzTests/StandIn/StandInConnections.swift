import NIOCore
import Synchronization

/// The channels of a stand-in, which close together, as those of a process that crashes.
final class StandInConnections: Sendable {
    private struct State {
        var listeners: [any Channel] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    func add(listener: any Channel) { state.withLock { $0.listeners.append(listener) } }

    func add(_ connection: any Channel) {
        let id = ObjectIdentifier(connection)
        let isClosed = state.withLock { state in
            state.connections[id] = connection
            return state.isClosed
        }
        connection.closeFuture.whenComplete { [weak self] _ in self?.state.withLock { $0.connections[id] = nil } }
        if isClosed { connection.close(promise: nil) }
    }

    /// Closes all channels. Those that listen come first: a client whose connection ends finds nobody afterwards.
    func closeAll() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners
        }
        guard let loop = listeners.first?.eventLoop else { return }
        EventLoopFuture.andAllComplete(listeners.map { $0.close() }, on: loop).whenComplete { [self] _ in
            for connection in state.withLock({ Array($0.connections.values) }) { connection.close(promise: nil) }
        }
    }
}
