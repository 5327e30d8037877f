import DequeModule
import NIOCore

/// The state of one MCS connection: the browser, the numbers of frames, and the messages that the browser has not
/// acknowledged.
///
/// It is a value without a socket: bytes go in, and the owner carries out the actions that come out.
struct MCSSession: Sendable {
    /// The action for a frame of the browser.
    enum Action: Hashable, Sendable {
        /// The first frame. Connect the browser, then answer and deliver.
        case greet(MCSLogin)
        /// The browser has received messages with these ids.
        case acknowledge([String])
        case send(MCSServerMessage)
        case close
    }

    private var reader = MCSFrameReader()
    private var isLoggedIn = false
    /// The number of frames that the browser has sent.
    private var received = 0
    /// The number of frames that were sent to the browser.
    private var sent = 0
    /// The messages that were sent and not acknowledged, by the numbers of their frames, which ascend.
    private var unacknowledged = Deque<(streamID: Int, persistentID: String)>()

    /// Receives bytes.
    ///
    /// - Returns: The actions, in their order.
    mutating func receive(_ bytes: ByteBuffer) -> [Action] {
        reader.append(bytes)
        var actions: [Action] = []
        do throws(MCSError) {
            while let frame = try reader.next() { actions += try receive(frame) }
        } catch {
            actions.append(.close)
        }
        return actions
    }

    private mutating func receive(_ frame: MCSFrame) throws(MCSError) -> [Action] {
        received += 1
        let message = try MCSReceived(frame)
        if case .login(let login) = message.message, !isLoggedIn {
            isLoggedIn = true
            return [.greet(login)]
        }
        guard isLoggedIn else { throw .loginExpected }
        var actions: [Action] = []
        let ids = message.lastStreamID.map { acknowledge(upTo: $0) } ?? []
        if !ids.isEmpty { actions.append(.acknowledge(ids)) }
        switch message.message {
        case .login, .close: actions.append(.close)
        case .heartbeatPing: actions.append(.send(.heartbeatAck))
        case .selectiveAck(let ids):
            unacknowledged.removeAll { ids.contains($0.persistentID) }
            actions.append(.acknowledge(ids))
        case .heartbeatAck, .other: break
        }
        return actions
    }

    private mutating func acknowledge(upTo streamID: Int) -> [String] {
        var ids: [String] = []
        while let first = unacknowledged.first, first.streamID <= streamID {
            ids.append(first.persistentID)
            unacknowledged.removeFirst()
        }
        return ids
    }

    /// Returns the bytes of a message, with the protocol's version before the first one.
    mutating func bytes(of message: MCSServerMessage) -> [UInt8] {
        sent += 1
        if case .data(let data) = message {
            unacknowledged.append((streamID: sent, persistentID: data.persistentID))
        }
        let frame = message.frame(streamID: sent, lastReceived: received)
        return (sent == 1 ? [MCSFrame.version] : []) + frame.bytes
    }
}

extension MCSData {
    init(_ delivery: ServiceState.Delivery) {
        let (message, channel) = (delivery.message, delivery.record.channel)
        self.init(
            persistentID: message.id, category: channel?.app ?? "", subtype: channel?.id,
            sender: channel?.sender ?? "", encoding: message.encoding, body: message.body,
            timeToLive: message.timeToLive, sentAt: message.acceptedAt)
    }
}
