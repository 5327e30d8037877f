/// A message from Chromium over MCS, with the fields that the service needs.
///
/// The numbers of the fields are those of Chromium's `google_apis/gcm/protocol/mcs.proto`.
enum MCSClientMessage: Hashable, Sendable {
    case login(MCSLogin)
    case heartbeatPing
    case heartbeatAck
    /// The ids of messages that the browser acknowledges one by one.
    case selectiveAck(persistentIDs: [String])
    case close
    /// A message without meaning for the service, such as an acknowledgment that consists of its stream id only.
    case other
}

/// The first message of a connection.
struct MCSLogin: Hashable, Sendable {
    /// The id of the browser's profile, given at its check-in.
    let androidID: UInt64
    /// The secret that belongs to the id.
    let securityToken: UInt64
    /// The ids of messages that the browser received over earlier connections and has not acknowledged.
    let receivedPersistentIDs: [String]
}

/// A message from Chromium, and the acknowledgment that comes with it.
struct MCSReceived: Hashable, Sendable {
    let message: MCSClientMessage
    /// The number of the service's last frame that the browser has processed; `nil` if the message does not tell it.
    let lastStreamID: Int?
}

extension MCSReceived {
    /// Reads the message of a frame.
    init(_ frame: MCSFrame) throws(MCSError) {
        let fields = try Self.fields(frame.content)
        switch frame.tag {
        case MCSTag.loginRequest: self.init(message: .login(try MCSLogin(fields)), lastStreamID: nil)
        case MCSTag.heartbeatPing: self.init(message: .heartbeatPing, lastStreamID: Self.streamID(fields, field: 2))
        case MCSTag.heartbeatAck: self.init(message: .heartbeatAck, lastStreamID: Self.streamID(fields, field: 2))
        case MCSTag.close: self.init(message: .close, lastStreamID: nil)
        case MCSTag.iqStanza:
            self.init(message: try Self.iqMessage(fields), lastStreamID: Self.streamID(fields, field: 10))
        case MCSTag.dataMessageStanza: self.init(message: .other, lastStreamID: Self.streamID(fields, field: 11))
        default: self.init(message: .other, lastStreamID: nil)
        }
    }

    private static func fields(_ content: [UInt8]) throws(MCSError) -> ProtobufFields {
        do { return try ProtobufFields(content) } catch { throw .malformed }
    }

    private static func streamID(_ fields: ProtobufFields, field: Int) -> Int? {
        fields.number(field).flatMap { Int(exactly: $0) }
    }

    /// The number of the extension `SELECTIVE_ACK` of an `IqStanza`.
    private static let selectiveAck: UInt64 = 12

    private static func iqMessage(_ fields: ProtobufFields) throws(MCSError) -> MCSClientMessage {
        guard let content = fields.bytes(7) else { return .other }
        let ext = try Self.fields(content)
        guard ext.number(1) == selectiveAck, let data = ext.bytes(2) else { return .other }
        return .selectiveAck(persistentIDs: try Self.fields(data).texts(1))
    }
}

extension MCSLogin {
    fileprivate init(_ fields: ProtobufFields) throws(MCSError) {
        // Chromium writes both numbers as decimal texts.
        guard let androidID = fields.text(3).flatMap({ UInt64($0) }),
            let securityToken = fields.text(5).flatMap({ UInt64($0) })
        else { throw .malformed }
        self.init(
            androidID: androidID, securityToken: securityToken, receivedPersistentIDs: fields.texts(10))
    }
}
