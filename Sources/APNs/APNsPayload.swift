internal import JSON
internal import Messaging

/// What a device receives: FCM's message in Apple's form, as bytes that fit.
struct APNsPayload: Hashable, Sendable {
    static let installationIDKey = "google.c.fid"
    /// What the installation's id takes: comma, name, colon, and 22 characters in quotes.
    private static let installationIDSize = installationIDKey.utf8.count + 28

    /// Compact UTF-8 JSON, without what is different for each target.
    let bytes: [UInt8]
    private let maximumSize: Int
    private let hasIdentity: Bool

    /// The payload of a message. Its id is left out where it does not fit: a notification is worth more than its id.
    ///
    /// - Returns: `nil` when it does not fit even with an empty body.
    init?(of message: OutgoingMessage) {
        if let payload = Self(message.message, id: message.id, identity: message.identity) {
            self = payload
        } else {
            self.init(message.message, identity: message.identity)
        }
    }

    /// - Parameters:
    ///   - id: the message's; one of FCM's has it in its identity.
    ///   - identity: what FCM's library in the app is told; nil when the message did not come through FCM's API.
    /// - Returns: nil when it does not fit even with an empty body.
    init?(_ message: Message, id: String? = nil, identity: FCMIdentity? = nil) {
        let maximumSize = (APNsPushType(of: message) ?? .alert).maximumPayloadSize
        let wantedSize = identity == nil ? maximumSize : maximumSize - Self.installationIDSize
        var object = Self.object(for: message, id: id, identity: identity)
        var bytes = JSONValue.object(object).serialized
        if bytes.count > wantedSize {
            if Self.shortenBody(of: &object, by: bytes.count - wantedSize) {
                bytes = JSONValue.object(object).serialized
            } else if bytes.count > maximumSize {
                return nil
            }
        }
        self.bytes = bytes
        self.maximumSize = maximumSize
        hasIdentity = identity != nil
    }

    /// The payload for one target. Its installation's id goes with a message of FCM's, unless there is no room for it.
    func bytes(installationID: String?) -> [UInt8] {
        guard hasIdentity, let installationID else { return bytes }
        var bytes = bytes
        bytes.removeLast()
        bytes.append(contentsOf: ",\"\(Self.installationIDKey)\":".utf8)
        JSONValue.writeString(installationID, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes.count > maximumSize ? self.bytes : bytes
    }

    /// Cuts characters off the end of the alert's body, and puts an ellipsis there, until the JSON is shorter by that
    /// many bytes.
    ///
    /// - Returns: false when the body is too short for that.
    private static func shortenBody(of object: inout JSONObject, by excess: Int) -> Bool {
        guard var aps = object["aps"]?.object, var alert = aps["alert"]?.object, var body = alert["body"]?.string
        else { return false }
        var saved = -"…".utf8.count
        while saved < excess {
            guard let last = body.popLast() else { return false }
            saved += JSONValue.string(String(last)).serialized.count - 2
        }
        alert["body"] = .string(body + "…")
        aps["alert"] = .object(alert)
        object["aps"] = .object(aps)
        return true
    }
}
