import APNsSimulator
import JSON

extension ReceivedNotification {
    /// The payload without the message's id, which the gateway makes up.
    var payloadWithoutID: JSONValue? {
        guard case .object(var object)? = payload else { return payload }
        object["gcm.message_id"] = nil
        return .object(object)
    }
}
