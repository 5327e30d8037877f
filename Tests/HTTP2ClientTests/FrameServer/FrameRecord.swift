import NIOCore
import Synchronization

/// The frames that a ``FrameServer`` has received.
final class FrameRecord: Sendable {
    private struct State {
        var frames: [(connection: Int, frame: Frame)] = []
        var channels: [any Channel] = []
        var closed = 0
        var isSilent = false
    }

    private let state = Mutex(State())

    /// Returns the frames of a kind without acknowledgements, each with the number of its connection, from 1.
    func frames(_ kind: Frame.Kind) -> [(connection: Int, frame: Frame)] {
        state.withLock { $0.frames.filter { $0.frame.kind == kind && !$0.frame.isAcknowledgement } }
    }

    /// All frames, in the order of their arrival.
    var all: [Frame] { state.withLock { $0.frames.map(\.frame) } }

    /// The number of connections that were opened.
    var connections: Int { state.withLock(\.channels.count) }
    /// The number of connections that clients closed.
    var closed: Int { state.withLock(\.closed) }

    /// `true` if the server answers nothing, not even PING.
    var isSilent: Bool {
        get { state.withLock(\.isSilent) }
        set { state.withLock { $0.isSilent = newValue } }
    }

    func add(_ frame: Frame, of connection: Int) { state.withLock { $0.frames.append((connection, frame)) } }

    func opened(_ channel: any Channel) -> Int {
        state.withLock {
            $0.channels.append(channel)
            return $0.channels.count
        }
    }

    func noteClosed() { state.withLock { $0.closed += 1 } }

    func closeAll() {
        for channel in state.withLock(\.channels) { channel.close(promise: nil) }
    }
}
