/// A message from the service to Chromium over MCS.
///
/// The numbers of the fields are those of Chromium's `google_apis/gcm/protocol/mcs.proto`.
enum MCSServerMessage: Hashable, Sendable {
    /// The answer to a login, with the service's time in milliseconds since 1970.
    case loginResponse(time: Int64)
    /// A request for a heartbeat, whose answer acknowledges all earlier messages.
    case heartbeatPing
    case heartbeatAck
    case close
    case data(MCSData)
}

/// A push message as Chromium receives it.
struct MCSData: Hashable, Sendable {
    /// The id by which the browser acknowledges the message.
    let persistentID: String
    /// The `app` of the registration: the browser's name.
    let category: String
    /// The `X-subtype` of the registration, which names the page; `nil` if it had none.
    let subtype: String?
    /// The `sender` of the registration: the page's application server key, in base64url.
    let sender: String
    /// The content encoding of ``body``; `nil` for a message without a body.
    let encoding: String?
    /// The encrypted message.
    let body: [UInt8]
    /// The lifetime in seconds.
    let timeToLive: Int64
    /// The time of acceptance, in milliseconds since 1970.
    let sentAt: Int64
}

extension MCSServerMessage {
    /// Returns the message's frame.
    ///
    /// - Parameters:
    ///   - streamID: The number of the frame on its connection, from 1.
    ///   - lastReceived: The number of the browser's last frame.
    func frame(streamID: Int, lastReceived: Int) -> MCSFrame {
        var message = ProtobufWriter()
        let tag: UInt8
        switch self {
        case .loginResponse(let time):
            tag = MCSTag.loginResponse
            message.write("pushgate", 1)
            message.write(streamID, 5)
            message.write(lastReceived, 6)
            message.write(Int(time), 8)
        case .heartbeatPing, .heartbeatAck:
            tag = self == .heartbeatPing ? MCSTag.heartbeatPing : MCSTag.heartbeatAck
            message.write(streamID, 1)
            message.write(lastReceived, 2)
        case .close: tag = MCSTag.close
        case .data(let data):
            tag = MCSTag.dataMessageStanza
            data.write(to: &message)
            message.write(streamID, 10)
            message.write(lastReceived, 11)
        }
        return MCSFrame(tag: tag, content: message.bytes)
    }
}

extension MCSData {
    /// Writes all fields except for those of the stream.
    fileprivate func write(to message: inout ProtobufWriter) {
        message.write(sender, 3)
        message.write(category, 5)
        if let subtype { Self.write("subtype", subtype, to: &message) }
        if let encoding { Self.write("content-encoding", encoding, to: &message) }
        message.write(persistentID, 9)
        message.write(Int(timeToLive), 17)
        message.write(Int(sentAt), 18)
        if !body.isEmpty { message.write(body, 21) }
    }

    private static func write(_ key: String, _ value: String, to message: inout ProtobufWriter) {
        message.write(7) { pair in
            pair.write(key, 1)
            pair.write(value, 2)
        }
    }
}
